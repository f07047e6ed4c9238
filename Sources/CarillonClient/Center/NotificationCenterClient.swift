import CarillonModel

/// What the SDK needs of `UNUserNotificationCenter`, in Apple's words.
///
/// On Apple platforms ``UserNotificationCenterClient`` is the real one. Tests and Linux use the in-memory one of
/// `CarillonTesting`, which behaves as iOS does.
///
/// The SDK calls one method at a time and waits for it. None of them may show a dialog.
public protocol NotificationCenterClient: Sendable {
  /// The authorization status and the settings, read together and now: never a remembered value.
  func notificationSettings() async -> CenterSettings

  /// Everything that is pending, the app's own requests included, in any order.
  func pendingRequests() async -> [CenterRequest]

  /// Adds a request, or replaces the pending one of the same id.
  func add(_ request: CenterRequest) async throws(CenterError)

  /// Removes pending requests. Unknown ids are ignored. iOS may apply this some time after it returned.
  func removePendingRequests(withIdentifiers ids: [NotificationID]) async

  /// What was shown and still stands in Notification Center.
  func deliveredNotifications() async -> [DeliveredNotification]
}

/// One reading of `UNNotificationSettings`.
public struct CenterSettings: Hashable, Sendable {
  public var authorizationStatus: AuthorizationStatus
  public var settings: NotificationSettings

  public init(authorizationStatus: AuthorizationStatus, settings: NotificationSettings) {
    self.authorizationStatus = authorizationStatus
    self.settings = settings
  }
}

/// A notification that was shown and not yet cleared by the person.
public struct DeliveredNotification: Hashable, Sendable {
  public var id: NotificationID
  public var date: Instant
  /// Nil: not one of ours.
  public var revision: String?

  public init(id: NotificationID, date: Instant, revision: String?) {
    self.id = id
    self.date = date
    self.revision = revision
  }
}

/// Why the center did not take a request.
public struct CenterError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    /// The trigger is one that would abort the process or never fire; it was not handed over.
    case invalidTrigger
    /// Notifications are not allowed for this app.
    case notAllowed
    /// The app already monitors as many regions as iOS grants.
    case tooManyRegions
    /// Whatever else the system said.
    case other
  }

  public let code: Code
  /// For a person who reads a log.
  public let detail: String

  public init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  public var description: String { "\(code.rawValue): \(detail)" }
}
