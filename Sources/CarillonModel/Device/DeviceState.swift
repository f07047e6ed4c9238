/// Apple's `UNAuthorizationStatus`; a value this version does not know is kept as given and means "cannot".
public enum AuthorizationStatus: Hashable, Sendable {
  case notDetermined, denied, authorized, provisional, ephemeral
  case unknown(String)
}

/// Apple's `UNNotificationSetting`; an unknown value is kept as given and means "cannot".
public enum NotificationSetting: Hashable, Sendable {
  case notSupported, disabled, enabled
  case unknown(String)
}

/// Apple's `UNNotificationSettings`, as a device last reported them. Nil: never reported.
public struct NotificationSettings: Hashable, Sendable {
  public var alert: NotificationSetting?
  public var sound: NotificationSetting?
  public var badge: NotificationSetting?
  public var lockScreen: NotificationSetting?
  public var notificationCenter: NotificationSetting?
  public var carPlay: NotificationSetting?
  public var criticalAlert: NotificationSetting?
  public var timeSensitive: NotificationSetting?
  public var scheduledDelivery: NotificationSetting?
  public var directMessages: NotificationSetting?
  public var announcement: NotificationSetting?
  public var alertStyle: String?
  public var showPreviews: String?
  public var providesAppNotificationSettings: Bool?

  public init() {}
}

/// What identifies and describes a device, as in the `device` member of a report. Nil: never reported.
public struct DeviceInfo: Hashable, Sendable {
  public var platform: String?
  public var osVersion: String?
  public var appVersion: String?
  public var bundleId: String?
  /// An IANA name; fixed offsets are refused.
  public var timeZone: String?
  /// 1 = Sunday.
  public var firstWeekday: Int?
  public var minimumDaysInFirstWeek: Int?
  public var locale: String?
  public var deviceKey: String?
  public var userId: String?
  public var cohort: String?
  public var push: PushRegistration?
  public var backgroundRefresh: String?

  public init() {}
}

public struct PushRegistration: Hashable, Sendable {
  /// Lower-case hexadecimal.
  public var token: String
  /// `production` or `sandbox`; others are kept as given.
  public var environment: String

  public init(token: String, environment: String) {
    self.token = token
    self.environment = environment
  }
}

/// Requests on the device that are not ours: never named, but they take slots.
public struct ForeignRequests: Hashable, Sendable {
  public var count: Int
  /// Of those, monitored regions.
  public var regions: Int

  public init(count: Int = 0, regions: Int = 0) {
    self.count = count
    self.regions = regions
  }
}

/// One request the device really holds. Ours carry the revision they were added with.
public struct PendingRequest: Hashable, Sendable {
  public var id: NotificationID
  public var revision: String? { didSet { revisionHash = revision.map { Revision.hash(ofText: $0) } } }
  /// ``Revision/hash(ofText:)``, read once when the request is: planning compares it with what is held.
  public private(set) var revisionHash: UInt64?

  public init(id: NotificationID, revision: String? = nil) {
    self.id = id
    self.revision = revision
    revisionHash = revision.map { Revision.hash(ofText: $0) }
  }
}
