#if canImport(UserNotifications) && (os(iOS) || os(visionOS) || os(macOS) || os(watchOS))
  import CarillonJSON
  import CarillonModel
  import Foundation
  import UserNotifications

  #if os(iOS)
    import CoreLocation
  #endif

  extension CenterRequest {
    /// What the SDK reads back: the id, the kind of trigger, and the content's text and `userInfo`.
    init(_ native: UNNotificationRequest) {
      var content = NotificationContent(title: native.content.title, body: native.content.body)
      if let revision = native.content.userInfo[Self.revisionKey] as? String {
        content.userInfo = .object([JSONMember(Self.revisionKey, .string(revision))])
      }
      self.init(
        id: NotificationID(unchecked: native.identifier), content: content,
        trigger: native.trigger.flatMap(CenterTrigger.init))
    }

    func native() throws(CenterError) -> UNNotificationRequest {
      let native = UNMutableNotificationContent()
      if let title = content.title { native.title = title }
      if let subtitle = content.subtitle { native.subtitle = subtitle }
      if let body = content.body { native.body = body }
      if let badge = content.badge { native.badge = NSNumber(value: badge) }
      if let thread = content.threadId { native.threadIdentifier = thread }
      if let category = content.categoryId { native.categoryIdentifier = category }
      #if os(watchOS)
        if content.sound != nil { native.sound = .default }
      #else
        native.sound = content.nativeSound
      #endif
      if #available(iOS 15, macOS 12, watchOS 8, *) {
        if let score = content.relevanceScore { native.relevanceScore = score }
        if let level = content.interruptionLevel { native.interruptionLevel = level.native }
      }
      if case .object(let members)? = content.userInfo {
        for member in members { native.userInfo[member.name] = member.value.propertyList }
      }
      return UNNotificationRequest(
        identifier: id.text, content: native, trigger: try trigger.map(Self.native))
    }

    private static func native(_ trigger: CenterTrigger) throws(CenterError) -> UNNotificationTrigger {
      switch trigger {
      case .calendar(let components, let zone, let repeats):
        return UNCalendarNotificationTrigger(
          dateMatching: try components.dateComponents(timeZone: zone), repeats: repeats)
      case .interval(let seconds, let repeats):
        guard seconds.isFinite, seconds > 0, !repeats || seconds >= 60 else {
          throw CenterError(.invalidTrigger, "an interval of \(seconds) seconds would abort the app")
        }
        return UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: repeats)
      case .location(let region):
        #if os(iOS)
          let center = CLLocationCoordinate2D(latitude: region.latitude, longitude: region.longitude)
          let name = "\(region.latitude),\(region.longitude),\(region.radius)"
          let circle = CLCircularRegion(center: center, radius: region.radius, identifier: name)
          circle.notifyOnEntry = region.onEntry
          circle.notifyOnExit = region.onExit
          return UNLocationNotificationTrigger(region: circle, repeats: region.repeats)
        #else
          throw CenterError(.invalidTrigger, "this system has no location triggers")
        #endif
      }
    }
  }

  extension CenterTrigger {
    /// Nil for a kind that no pending request of this SDK has.
    init?(_ native: UNNotificationTrigger) {
      if let interval = native as? UNTimeIntervalNotificationTrigger {
        self = .interval(seconds: interval.timeInterval, repeats: interval.repeats)
      } else if let calendar = native as? UNCalendarNotificationTrigger {
        let components = calendar.dateComponents
        self = .calendar(
          CalendarComponents(components), timeZone: components.timeZone?.identifier,
          repeats: calendar.repeats)
      } else {
        #if os(iOS)
          if let location = native as? UNLocationNotificationTrigger,
            let circle = location.region as? CLCircularRegion
          {
            self = .location(
              LocationTrigger(
                latitude: circle.center.latitude, longitude: circle.center.longitude,
                radius: circle.radius, onEntry: circle.notifyOnEntry, onExit: circle.notifyOnExit,
                repeats: location.repeats))
            return
          }
        #endif
        return nil
      }
    }
  }

  #if !os(watchOS)
    extension NotificationContent {
      fileprivate var nativeSound: UNNotificationSound? {
        guard let sound else { return nil }
        let name = UNNotificationSoundName(sound)
        let isDefault = sound == "default"
        guard soundIsCritical else { return isDefault ? .default : UNNotificationSound(named: name) }
        guard let volume = soundVolume.map(Float.init) else {
          return isDefault ? .defaultCritical : .criticalSoundNamed(name)
        }
        return isDefault
          ? .defaultCriticalSound(withAudioVolume: volume)
          : .criticalSoundNamed(name, withAudioVolume: volume)
      }
    }
  #endif

  extension InterruptionLevel {
    @available(iOS 15, macOS 12, watchOS 8, *)
    fileprivate var native: UNNotificationInterruptionLevel {
      switch self {
      case .passive: .passive
      case .active: .active
      case .timeSensitive: .timeSensitive
      case .critical: .critical
      }
    }
  }
#endif
