/// A tenant. Never taken from a path, a query or a body: it comes from the credential alone.
public struct TenantID: Hashable, Sendable {
  public let uuid: UUID128
  public init(_ uuid: UUID128) { self.uuid = uuid }

  /// 36 characters, either case.
  public init?(_ text: String) {
    guard let uuid = UUID128(text) else { return nil }
    self.uuid = uuid
  }

  public var text: String { uuid.text }
}

/// One installation of an app, made by the SDK at its first start.
public struct DeviceID: Hashable, Sendable {
  public let uuid: UUID128
  public init(_ uuid: UUID128) { self.uuid = uuid }

  /// 36 characters, either case.
  public init?(_ text: String) {
    guard let uuid = UUID128(text) else { return nil }
    self.uuid = uuid
  }

  public var text: String { uuid.text }
}

/// A notification's id, unique on its device: 1...128 bytes of UTF-8 without control characters.
/// Ids compare by their bytes.
public struct NotificationID: Sendable {
  public static let longest = 128
  /// Bytes of an id that planning makes: `digest.` before one, `@20260103T090000` behind it, and some that keep it
  /// apart from an id that somebody gave.
  public static let longestMade = 160

  public let text: String

  /// For text that is known to be valid (read from our own database, or a literal in a test).
  public init(unchecked text: String) { self.text = text }

  /// Nil when the text is empty, longer than 128 bytes, or has a control character (C0, DEL or C1).
  public init?(_ text: String) {
    guard TextRules.isPlain(text, bytes: 1...NotificationID.longest) else { return nil }
    self.text = text
  }

  /// An id as a device holds it or somebody asks for it: possibly one that planning made, an occurrence or a digest.
  /// Nil when the text is empty, longer than 160 bytes, or has a control character.
  public init?(made text: String) {
    guard TextRules.isPlain(text, bytes: 1...NotificationID.longestMade) else { return nil }
    self.text = text
  }
}

// By bytes throughout: Swift's own comparison of strings would take two spellings of "é" for one id.
extension NotificationID: Hashable, Comparable {
  public static func == (left: NotificationID, right: NotificationID) -> Bool {
    left.text.utf8.withContiguousStorageIfAvailable { mine in
      right.text.utf8.withContiguousStorageIfAvailable { theirs in
        UnsafeRawBufferPointer(mine).isSame(as: UnsafeRawBufferPointer(theirs))
      }
    } == true
  }

  public func hash(into hasher: inout Hasher) {
    text.withBytes { hasher.combine(bytes: $0) }
  }

  public static func < (left: NotificationID, right: NotificationID) -> Bool {
    left.text.utf8.withContiguousStorageIfAvailable { mine in
      right.text.utf8.withContiguousStorageIfAvailable { theirs in
        UnsafeRawBufferPointer(mine).precedes(UnsafeRawBufferPointer(theirs))
      }
    } == true
  }
}

extension NotificationID: CustomStringConvertible {
  public var description: String { text }
}

/// The name an operator gives a tenant: `[a-z0-9][a-z0-9-]{0,62}`.
public struct TenantName: Hashable, Sendable {
  public let text: String

  public init?(_ text: String) {
    let isAlphanumeric = { (byte: UInt8) in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard (1...63).contains(text.utf8.count), let first = text.utf8.first, isAlphanumeric(first),
      text.utf8.allSatisfy({ isAlphanumeric($0) || $0 == UInt8(ascii: "-") })
    else { return nil }
    self.text = text
  }
}

enum TextRules {
  /// Within the length, in bytes, and without control characters (C0, DEL, C1).
  static func isPlain(_ text: String, bytes range: ClosedRange<Int>) -> Bool {
    text.withBytes { bytes in
      guard range.contains(bytes.count) else { return false }
      for index in 0..<bytes.count {
        let byte = bytes[index]
        if byte < 0x20 || byte == 0x7F { return false }
        // C1 is U+0080...U+009F, in UTF-8 C2 80...C2 9F.
        if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 { return false }
      }
      return true
    }
  }
}

extension UnsafeRawBufferPointer {
  /// By the first byte that differs; the beginning of another comes before it.
  @inline(__always)
  fileprivate func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
      return self[index] < other[index]
    }
    return count < other.count
  }

  /// Eight bytes at a time.
  @inline(__always)
  fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var position = 0
    while position &+ 8 <= count {
      if loadUnaligned(fromByteOffset: position, as: UInt64.self)
        != other.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      {
        return false
      }
      position &+= 8
    }
    while position < count {
      if self[position] != other[position] { return false }
      position &+= 1
    }
    return true
  }
}
