import CarillonClient
import CarillonModel
import Synchronization

/// A notification center that behaves as that of iOS does, its silences included: 64 pending requests, 20 regions,
/// replacement by id, removes that take effect late, and requests that vanish when there are too many.
///
/// Time comes from the clock it is given. Whatever is due by then has fired before any call answers: one-time
/// requests move to ``delivered``, repeating ones stay.
public final class InMemoryNotificationCenter: NotificationCenterClient {
  /// What iOS does with the 65th request. It says nothing in either case; both have been seen.
  public enum Overflow: Sendable {
    /// The one just added is not kept.
    case dropsNewest
    /// The one that would fire first goes.
    case dropsSoonest
  }

  /// One call the center served, for tests of order.
  public enum Call: Hashable, Sendable {
    case settings
    case pending(count: Int)
    case add(NotificationID, pendingAfter: Int)
    case refuse(NotificationID)
    case remove([NotificationID])
    case delivered
  }

  /// What iOS keeps for one app.
  public static let pendingLimit = 64
  /// What iOS monitors for one app.
  public static let regionLimit = 20
  /// Calls are kept up to this number; the oldest go.
  public static let callLimit = 10_000

  private let now: @Sendable () -> Instant
  private let overflow: Overflow
  private let removalDelay: Double
  private let state: Mutex<CenterState>

  /// - Parameters:
  ///   - settings: authorized with everything enabled by default.
  ///   - timeZone: the device's zone, an IANA name.
  ///   - overflow: what becomes of the 65th request.
  ///   - removalDelay: seconds until a remove takes effect.
  ///   - now: the device's clock, e.g. a ``ManualClock``'s.
  public init(
    settings: CenterSettings = .everythingEnabled, timeZone: String = "UTC",
    overflow: Overflow = .dropsNewest, removalDelay: Double = 0, now: @escaping @Sendable () -> Instant
  ) {
    self.now = now
    self.overflow = overflow
    self.removalDelay = removalDelay
    state = Mutex(CenterState(settings: settings, timeZone: timeZone))
  }

  // MARK: What a test sets and sees

  /// As if changed in Settings.
  public func change(settings: CenterSettings) { withState { $0.settings = settings } }

  /// As if the device travelled: wall times move with it.
  public func change(timeZone: String) { withState { $0.move(to: timeZone, at: now()) } }

  /// What is pending now, soonest first, the app's own included.
  public var pending: [CenterRequest] { withState { $0.sortedPending } }

  /// What was shown, in the order it came.
  public var delivered: [DeliveredNotification] { withState { $0.delivered } }

  /// What was added and silently not kept, or silently lost.
  public var dropped: [CenterRequest] { withState { $0.dropped } }

  public var calls: [Call] { withState { $0.calls } }

  /// As if the person cleared Notification Center.
  public func clearDelivered() { withState { $0.delivered = [] } }

  /// What survives the process, to go on from later.
  public var snapshot: CenterSnapshot {
    withState { CenterSnapshot(pending: $0.sortedPending, delivered: $0.delivered) }
  }

  /// Takes over what another process left. Requests keep their times; an interval counts anew.
  public func restore(_ snapshot: CenterSnapshot) {
    withState { state in
      state.delivered = snapshot.delivered
      for request in snapshot.pending { state.put(request, at: now()) }
    }
  }

  private func withState<R>(_ body: (inout sending CenterState) -> sending R) -> R {
    state.withLock { state in
      state.settle(at: now())
      return body(&state)
    }
  }

  // MARK: NotificationCenterClient

  public func notificationSettings() async -> CenterSettings {
    withState { state in
      state.note(.settings)
      return state.settings
    }
  }

  public func pendingRequests() async -> [CenterRequest] {
    withState { state in
      state.note(.pending(count: state.pending.count))
      return state.sortedPending
    }
  }

  public func add(_ request: CenterRequest) async throws(CenterError) {
    let now = now()
    let refusal = withState { state -> CenterError? in
      if let error = state.refusal(of: request, regionLimit: Self.regionLimit, at: now) {
        state.note(.refuse(request.id))
        return error
      }
      state.put(request, at: now)
      if state.pending.count > Self.pendingLimit {
        switch overflow {
        case .dropsNewest: state.drop(request.id)
        case .dropsSoonest: if let first = state.sortedPending.first { state.drop(first.id) }
        }
      }
      state.note(.add(request.id, pendingAfter: state.pending.count))
      return nil
    }
    if let refusal { throw refusal }
  }

  public func removePendingRequests(withIdentifiers ids: [NotificationID]) async {
    let due = Instant(milliseconds: now().milliseconds + Int64(removalDelay * 1000))
    withState { state in
      state.note(.remove(ids))
      state.remove(ids, at: due, immediately: removalDelay == 0)
    }
  }

  public func deliveredNotifications() async -> [DeliveredNotification] {
    withState { state in
      state.note(.delivered)
      return state.delivered
    }
  }
}

extension CenterSettings {
  /// Authorized, with everything a usual app has enabled.
  public static var everythingEnabled: CenterSettings {
    var settings = NotificationSettings()
    settings.alert = .enabled
    settings.sound = .enabled
    settings.badge = .enabled
    settings.lockScreen = .enabled
    settings.notificationCenter = .enabled
    settings.carPlay = .notSupported
    settings.criticalAlert = .notSupported
    settings.timeSensitive = .enabled
    settings.scheduledDelivery = .disabled
    settings.directMessages = .notSupported
    settings.announcement = .disabled
    settings.alertStyle = "banner"
    settings.showPreviews = "always"
    settings.providesAppNotificationSettings = true
    return CenterSettings(authorizationStatus: .authorized, settings: settings)
  }
}
