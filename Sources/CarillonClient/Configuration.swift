import CarillonModel
import Foundation

extension Carillon {
  /// Where the server is, and what this device says of itself.
  public struct Configuration: Sendable {
    /// Scheme, host and port, and behind a proxy its path.
    public var server: URL
    /// Read anew for every report, so that a changed time zone or push token is told at once.
    ///
    /// Set `timeZone`; without it the server plans wall times in the zone it knew last.
    public var device: @Sendable () -> DeviceInfo
    public var retry: RetryPolicy
    /// Seconds for one attempt.
    public var requestTimeout: Double
    /// Operations that may wait to be sent.
    public var outboxLimit: Int
    public var effects: Effects

    public init(
      server: URL, device: @escaping @Sendable () -> DeviceInfo = { .current },
      retry: RetryPolicy = RetryPolicy(), requestTimeout: Double = 30, outboxLimit: Int = 2000,
      effects: Effects = .system
    ) {
      self.server = server
      self.device = device
      self.retry = retry
      self.requestTimeout = requestTimeout
      self.outboxLimit = outboxLimit
      self.effects = effects
    }
  }
}

extension DeviceInfo {
  /// What the system says of this device and this app. Add `deviceKey`, `userId`, `cohort` and `push` as you know
  /// them; `deviceKey` must be one that no backup carries to another phone (Apple's `identifierForVendor`).
  public static var current: DeviceInfo {
    var device = DeviceInfo()
    let version = ProcessInfo.processInfo.operatingSystemVersion
    device.osVersion = "\(version.majorVersion).\(version.minorVersion)"
    #if os(iOS)
      device.platform = "iOS"
    #elseif os(watchOS)
      device.platform = "watchOS"
    #elseif os(visionOS)
      device.platform = "visionOS"
    #elseif os(macOS)
      device.platform = "macOS"
    #else
      device.platform = "Linux"
    #endif
    device.bundleId = Bundle.main.bundleIdentifier
    device.appVersion = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
    device.timeZone = TimeZone.current.identifier
    device.locale = Locale.current.identifier
    return device
  }
}
