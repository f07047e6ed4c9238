#if canImport(UserNotifications) && !os(tvOS)
  import CarillonJSON
  import CarillonModel
  import Foundation
  import UserNotifications

  #if os(iOS)
    import CoreLocation
  #endif

  // The one file that knows Apple's framework. Tests check it for each platform against what Apple declares there.

  /// The device's own `UNUserNotificationCenter`.
  public struct UserNotificationCenterClient: NotificationCenterClient {
    public init() {}

    // Fetched anew: the class is not `Sendable`, and the system keeps the one instance.
    private var center: UNUserNotificationCenter { .current() }

    public func notificationSettings() async -> CenterSettings {
      CenterSettings(await center.notificationSettings())
    }

    public func pendingRequests() async -> [CenterRequest] {
      await center.pendingNotificationRequests().map(CenterRequest.init)
    }

    public func add(_ request: CenterRequest) async throws(CenterError) {
      let native = try request.native()
      do {
        try await center.add(native)
      } catch {
        let isDenied = (error as? UNError)?.code == .notificationsNotAllowed
        throw CenterError(isDenied ? .notAllowed : .other, error.localizedDescription)
      }
    }

    public func removePendingRequests(withIdentifiers ids: [NotificationID]) async {
      center.removePendingNotificationRequests(withIdentifiers: ids.map(\.text))
    }

    public func deliveredNotifications() async -> [DeliveredNotification] {
      await center.deliveredNotifications().map { notification in
        let request = CenterRequest(notification.request)
        return DeliveredNotification(
          id: request.id,
          date: Instant(milliseconds: Int64(notification.date.timeIntervalSince1970 * 1000)),
          revision: request.revision)
      }
    }
  }

  // MARK: Requests

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
      native.sound = content.nativeSound
      if let score = content.relevanceScore { native.relevanceScore = score }
      if let level = content.interruptionLevel { native.interruptionLevel = level.native }
      if case .object(let members)? = content.userInfo {
        for member in members { native.userInfo[member.name] = member.value.propertyList }
      }
      return UNNotificationRequest(
        identifier: id.text, content: native, trigger: try trigger?.native(for: id))
    }
  }

  // MARK: Triggers

  extension CenterTrigger {
    /// - Parameter id: of the request.
    fileprivate func native(for id: NotificationID) throws(CenterError) -> UNNotificationTrigger {
      switch self {
      case .calendar(let components, let zone, let repeats):
        return UNCalendarNotificationTrigger(
          dateMatching: try components.dateComponents(timeZone: zone), repeats: repeats)
      case .interval(let seconds, let repeats):
        guard seconds.isFinite, seconds > 0, !repeats || seconds >= 60 else {
          throw CenterError(.invalidTrigger, "an interval of \(seconds) seconds would abort the app")
        }
        return UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: repeats)
      #if os(iOS) && !targetEnvironment(macCatalyst)
        case .location(let region):
          let center = CLLocationCoordinate2D(latitude: region.latitude, longitude: region.longitude)
          // Two regions of one name would be undefined.
          let circle = CLCircularRegion(center: center, radius: region.radius, identifier: id.text)
          circle.notifyOnEntry = region.onEntry
          circle.notifyOnExit = region.onExit
          return UNLocationNotificationTrigger(region: circle, repeats: region.repeats)
      #else
        case .location: throw CenterError(.invalidTrigger, "this system has no location triggers")
      #endif
      }
    }

    /// Nil for a kind that no pending request of this SDK has.
    init?(_ native: UNNotificationTrigger) {
      switch native {
      case let interval as UNTimeIntervalNotificationTrigger:
        self = .interval(seconds: interval.timeInterval, repeats: interval.repeats)
      case let calendar as UNCalendarNotificationTrigger:
        let components = calendar.dateComponents
        self = .calendar(
          CalendarComponents(components), timeZone: components.timeZone?.identifier,
          repeats: calendar.repeats)
      #if os(iOS) && !targetEnvironment(macCatalyst)
        case let location as UNLocationNotificationTrigger:
          guard let circle = location.region as? CLCircularRegion else { return nil }
          self = .location(
            LocationTrigger(
              latitude: circle.center.latitude, longitude: circle.center.longitude,
              radius: circle.radius, onEntry: circle.notifyOnEntry, onExit: circle.notifyOnExit,
              repeats: location.repeats))
      #endif
      default: return nil
      }
    }
  }

  // MARK: Contents

  extension NotificationContent {
    fileprivate var nativeSound: UNNotificationSound? {
      guard let sound else { return nil }
      #if os(watchOS)
        // A watch plays its own sounds only.
        return soundIsCritical ? .defaultCritical : .default
      #else
        let name = UNNotificationSoundName(sound)
        let isDefault = sound == "default"
        guard soundIsCritical else { return isDefault ? .default : UNNotificationSound(named: name) }
        guard let volume = soundVolume.map(Float.init) else {
          return isDefault ? .defaultCritical : .criticalSoundNamed(name)
        }
        return isDefault
          ? .defaultCriticalSound(withAudioVolume: volume)
          : .criticalSoundNamed(name, withAudioVolume: volume)
      #endif
    }
  }

  extension InterruptionLevel {
    fileprivate var native: UNNotificationInterruptionLevel {
      switch self {
      case .passive: .passive
      case .active: .active
      case .timeSensitive: .timeSensitive
      case .critical: .critical
      }
    }
  }

  // MARK: Settings

  // Apple's enumerations to ours. Cases that a later system adds become `unknown`, which means "cannot".

  extension CenterSettings {
    init(_ native: UNNotificationSettings) {
      var settings = NotificationSettings()
      settings.alert = NotificationSetting(native.alertSetting)
      settings.sound = NotificationSetting(native.soundSetting)
      settings.notificationCenter = NotificationSetting(native.notificationCenterSetting)
      settings.criticalAlert = NotificationSetting(native.criticalAlertSetting)
      settings.timeSensitive = NotificationSetting(native.timeSensitiveSetting)
      settings.scheduledDelivery = NotificationSetting(native.scheduledDeliverySetting)
      settings.directMessages = NotificationSetting(native.directMessagesSetting)
      settings.providesAppNotificationSettings = native.providesAppNotificationSettings
      #if !os(watchOS)
        settings.badge = NotificationSetting(native.badgeSetting)
        settings.lockScreen = NotificationSetting(native.lockScreenSetting)
        settings.alertStyle = native.alertStyle.word
        settings.showPreviews = native.showPreviewsSetting.word
      #endif
      #if os(iOS)
        settings.carPlay = NotificationSetting(native.carPlaySetting)
      #endif
      #if os(iOS) || os(watchOS)
        settings.announcement = NotificationSetting(native.announcementSetting)
      #endif
      self.init(
        authorizationStatus: AuthorizationStatus(native.authorizationStatus), settings: settings)
    }
  }

  extension AuthorizationStatus {
    init(_ native: UNAuthorizationStatus) {
      // By number: not every case exists on every platform.
      switch native.rawValue {
      case 0: self = .notDetermined
      case 1: self = .denied
      case 2: self = .authorized
      case 3: self = .provisional
      case 4: self = .ephemeral
      case let other: self = .unknown(String(other))
      }
    }
  }

  extension NotificationSetting {
    init(_ native: UNNotificationSetting) {
      switch native {
      case .notSupported: self = .notSupported
      case .disabled: self = .disabled
      case .enabled: self = .enabled
      @unknown default: self = .unknown(String(native.rawValue))
      }
    }
  }

  #if !os(watchOS)
    extension UNAlertStyle {
      fileprivate var word: String {
        switch self {
        case .none: "none"
        case .banner: "banner"
        case .alert: "alert"
        @unknown default: String(rawValue)
        }
      }
    }

    extension UNShowPreviewsSetting {
      fileprivate var word: String {
        switch self {
        case .always: "always"
        case .whenAuthenticated: "whenAuthenticated"
        case .never: "never"
        @unknown default: String(rawValue)
        }
      }
    }
  #endif
#endif
