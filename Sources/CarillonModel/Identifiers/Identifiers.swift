/// A tenant. Never taken from a path, a query or a body: it comes from the credential alone.
public struct TenantID: Hashable, Sendable {
  public let uuid: UUID128
  public init(_ uuid: UUID128) { self.uuid = uuid }
}

/// One installation of an app, made by the SDK at its first start.
public struct DeviceID: Hashable, Sendable {
  public let uuid: UUID128
  public init(_ uuid: UUID128) { self.uuid = uuid }
}

/// A notification's id, unique on its device: 1...128 bytes of UTF-8 without control characters.
/// Ids compare by their bytes.
public struct NotificationID: Hashable, Sendable {
  public let text: String

  /// For text that is known to be valid (read from our own database, or a literal in a test).
  public init(unchecked text: String) { self.text = text }
}
