import CarillonModel

/// The opaque id of an item of an inbox: base64url of a version, the wished time and the notification's id. It says
/// nothing of the inbox, so that it stays when the item moves into another one, and reaches nobody else's.
public struct InboxItemID: Hashable, Sendable {
  private static let version: UInt8 = 1
  /// Of the longest notification's id, and room to spare.
  public static let maxTextBytes = 256

  public var key: InboxKey

  public init(_ key: InboxKey) { self.key = key }

  public var text: String {
    let time = UInt64(bitPattern: key.wishedAt.milliseconds)
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * UInt64($0))) }
    return Base64URL.text([Self.version] + bytes + Array(key.notification.text.utf8))
  }

  /// Nil when it is none of ours.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maxTextBytes, let bytes = Base64URL.bytes(text), bytes.count > 9,
      bytes[0] == Self.version, let id = String(validating: bytes[9...], as: UTF8.self),
      let notification = NotificationID(made: id)
    else { return nil }
    let time = bytes[1..<9].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let wishedAt = Instant(milliseconds: Int64(bitPattern: time))
    guard Instant.ofItems.contains(wishedAt) else { return nil }
    key = InboxKey(notification: notification, wishedAt: wishedAt)
  }
}

extension Instant {
  /// The years 1 to 9999: beyond it nothing fires, and no database has a day.
  fileprivate static let ofItems = Instant(seconds: -62_135_596_800)..<Instant(seconds: 253_402_300_800)
}
