// Apple's UserNotifications as far as the SDK uses it: declarations alone, to compile against where there is no Apple
// SDK. What a platform lacks is left out where the platform's name (IOS, MACOS, WATCHOS, VISIONOS) is defined.
//
// No class is `Sendable`, and the methods with completion handlers are imported as async ones that run on their caller's
// actor: the less is promised here, the more the SDK has to get right.
import Foundation

open class UNUserNotificationCenter: NSObject {
  open class func current() -> UNUserNotificationCenter { fatalError() }

  open nonisolated(nonsending) func requestAuthorization(
    options: UNAuthorizationOptions = []
  ) async throws -> Bool { fatalError() }

  open nonisolated(nonsending) func notificationSettings() async -> UNNotificationSettings { fatalError() }

  open nonisolated(nonsending) func add(_ request: UNNotificationRequest) async throws { fatalError() }

  open nonisolated(nonsending) func pendingNotificationRequests() async -> [UNNotificationRequest] {
    fatalError()
  }

  open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) { fatalError() }

  open nonisolated(nonsending) func deliveredNotifications() async -> [UNNotification] { fatalError() }
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static var badge: UNAuthorizationOptions { .init(rawValue: 1 << 0) }
  public static var sound: UNAuthorizationOptions { .init(rawValue: 1 << 1) }
  public static var alert: UNAuthorizationOptions { .init(rawValue: 1 << 2) }
  public static var provisional: UNAuthorizationOptions { .init(rawValue: 1 << 6) }
}

public struct UNError: Error {
  public enum Code: Int, Sendable {
    case notificationsNotAllowed = 1
    case attachmentInvalidURL = 100
    case notificationInvalidNoDate = 1400
    case notificationInvalidNoContent = 1401
  }

  public var code: Code { fatalError() }
}

open class UNNotification: NSObject {
  open var date: Date { fatalError() }
  open var request: UNNotificationRequest { fatalError() }
}
