#if canImport(UserNotifications) && (os(iOS) || os(visionOS) || os(macOS) || os(watchOS))
  import CarillonModel
  import Foundation
  import UserNotifications

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
#endif
