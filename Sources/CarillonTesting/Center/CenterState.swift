import CarillonClient
import CarillonModel

/// What an in-memory center holds and what time does to it.
struct CenterState {
  struct Pending {
    var request: CenterRequest
    var addedAt: Instant
    /// Nil: when a place is reached, or never.
    var fireAt: Instant?
  }

  var settings: CenterSettings
  var pending: [NotificationID: Pending] = [:]
  var delivered: [DeliveredNotification] = []
  var dropped: [CenterRequest] = []
  var calls: [InMemoryNotificationCenter.Call] = []
  private var fireDates: FireDates
  private var removals: [(id: NotificationID, due: Instant)] = []

  init(settings: CenterSettings, timeZone: String) {
    self.settings = settings
    fireDates = FireDates(timeZone: timeZone)
  }

  var sortedPending: [CenterRequest] {
    pending.values.sorted { left, right in
      let leftFire = left.fireAt ?? .distantFuture
      let rightFire = right.fireAt ?? .distantFuture
      if leftFire != rightFire { return leftFire < rightFire }
      return left.request.id.text.utf8.lexicographicallyPrecedes(right.request.id.text.utf8)
    }.map(\.request)
  }

  mutating func note(_ call: InMemoryNotificationCenter.Call) {
    if calls.count == InMemoryNotificationCenter.callLimit { calls.removeFirst() }
    calls.append(call)
  }

  // MARK: Requests

  /// Nil when the center takes it.
  func refusal(of request: CenterRequest, regionLimit: Int, at now: Instant) -> CenterError? {
    switch request.trigger {
    case .interval(let seconds, let repeats)?:
      guard seconds.isFinite, seconds > 0 else {
        return CenterError(.invalidTrigger, "time interval must be greater than 0")
      }
      guard !repeats || seconds >= 60 else {
        return CenterError(.invalidTrigger, "time interval must be at least 60 if repeating")
      }
    case .calendar(let components, let timeZone, _)?:
      guard components != CalendarComponents() else {
        return CenterError(.invalidTrigger, "date components are empty")
      }
      guard timeZone.map(fireDates.knows) ?? true else {
        return CenterError(.invalidTrigger, "\(timeZone ?? "") is not a time zone")
      }
    case .location(let region)?:
      guard region.radius > 0, (-90...90).contains(region.latitude),
        (-180...180).contains(region.longitude)
      else { return CenterError(.invalidTrigger, "the region is invalid") }
      let regions = pending.values.count { held in
        if case .location? = held.request.trigger { held.request.id != request.id } else { false }
      }
      guard regions < regionLimit else {
        return CenterError(.tooManyRegions, "\(regions) regions are monitored")
      }
    case nil: break
    }
    return nil
  }

  /// Adds or replaces. What fires at once, or never again, is not pending.
  mutating func put(_ request: CenterRequest, at now: Instant) {
    guard let trigger = request.trigger else {
      pending[request.id] = nil
      deliver(request, at: now)
      return
    }
    let fireAt = fireDates.next(of: trigger, addedAt: now, after: now)
    if fireAt == nil, !trigger.waitsForPlace {
      // iOS takes a date that has passed without a word, and never fires it.
      pending[request.id] = nil
      dropped.append(request)
      return
    }
    pending[request.id] = Pending(request: request, addedAt: now, fireAt: fireAt)
  }

  mutating func drop(_ id: NotificationID) {
    guard let lost = pending.removeValue(forKey: id) else { return }
    dropped.append(lost.request)
  }

  /// Late removes hit whatever has the id when they arrive, as they do on iOS.
  mutating func remove(_ ids: [NotificationID], at due: Instant, immediately: Bool) {
    if immediately {
      for id in ids { pending[id] = nil }
    } else {
      removals += ids.map { ($0, due) }
    }
  }

  mutating func move(to timeZone: String, at now: Instant) {
    fireDates = FireDates(timeZone: timeZone)
    for (id, held) in pending {
      guard let trigger = held.request.trigger else { continue }
      pending[id]?.fireAt = fireDates.next(of: trigger, addedAt: held.addedAt, after: now)
    }
  }

  // MARK: Time

  /// Brings everything up to now: late removes and fires, in the order of their times.
  mutating func settle(at now: Instant) {
    while true {
      let fire = pending.values.filter { ($0.fireAt ?? .distantFuture) <= now }
        .min { ($0.fireAt ?? .distantFuture) < ($1.fireAt ?? .distantFuture) }
      let removal = removals.indices.filter { removals[$0].due <= now }
        .min { removals[$0].due < removals[$1].due }
      if let removal, removals[removal].due <= fire?.fireAt ?? .distantFuture {
        pending[removals.remove(at: removal).id] = nil
      } else if let fire {
        self.fire(fire)
      } else {
        return
      }
    }
  }

  private mutating func fire(_ held: Pending) {
    guard let fireAt = held.fireAt, let trigger = held.request.trigger else { return }
    deliver(held.request, at: fireAt)
    let next = trigger.repeats ? fireDates.next(of: trigger, addedAt: held.addedAt, after: fireAt) : nil
    if next == nil {
      pending[held.request.id] = nil
    } else {
      pending[held.request.id]?.fireAt = next
    }
  }

  /// A delivered notification replaces the one of the same id that still stands there.
  private mutating func deliver(_ request: CenterRequest, at date: Instant) {
    delivered.removeAll { $0.id == request.id }
    guard settings.authorizationStatus.showsNotifications else { return }
    delivered.append(DeliveredNotification(id: request.id, date: date, revision: request.revision))
  }
}

extension Instant {
  static let distantFuture = Instant(milliseconds: .max)
}

extension CenterTrigger {
  var waitsForPlace: Bool { if case .location = self { true } else { false } }
}

extension AuthorizationStatus {
  fileprivate var showsNotifications: Bool {
    switch self {
    case .authorized, .provisional, .ephemeral: true
    case .denied, .notDetermined, .unknown: false
    }
  }
}
