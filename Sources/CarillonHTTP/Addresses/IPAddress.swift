import Glibc

/// An IPv4 or IPv6 address, without port and zone. An IPv4 address that is mapped into IPv6 (`::ffff:192.0.2.1`) is that
/// IPv4 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The longest text of one.
  public static let maximumTextBytes = 45
  /// Of an IPv4 address within the 128 bits.
  static let mappedPrefix = UInt128(0xffff) << 32

  /// An IPv4 address as it is mapped into IPv6.
  let bits: UInt128

  init(bits: UInt128) { self.bits = bits }

  /// Sixteen bytes in network order.
  init(bytes: UnsafeRawBufferPointer) { bits = UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self)) }

  /// `192.0.2.1` or `2001:db8::1`, without brackets; nil when the text is neither, also when it has leading zeros, fewer
  /// than four numbers or a zone.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count <= Self.maximumTextBytes, text.utf8.allSatisfy(Self.isAddressCharacter) else {
      return nil
    }
    let text = String(text)
    var four: UInt32 = 0
    if inet_pton(AF_INET, text, &four) == 1 {
      bits = Self.mappedPrefix | UInt128(UInt32(bigEndian: four))
      return
    }
    var sixteen: UInt128 = 0
    guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
    bits = UInt128(bigEndian: sixteen)
  }

  public var isIPv4: Bool { bits >> 32 == Self.mappedPrefix >> 32 }

  public var description: String {
    var text = [CChar](repeating: 0, count: Self.maximumTextBytes + 1)
    if isIPv4 {
      var four = UInt32(truncatingIfNeeded: bits).bigEndian
      inet_ntop(AF_INET, &four, &text, socklen_t(text.count))
    } else {
      var sixteen = bits.bigEndian
      inet_ntop(AF_INET6, &sixteen, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func isAddressCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

/// All addresses that begin alike, as `192.0.2.0/24` or `2001:db8::/32` (CIDR); one address is the range of itself.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
  public let first: IPAddress
  /// Of the 128 bits of IPv6, also for IPv4.
  private let prefixLength: Int

  /// Nil when the text is no range, or when its address has bits beyond the prefix: `192.0.2.1/24` does not say which of
  /// the two is meant.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]) else { return nil }
    let offset = parts[0].contains(":") ? 0 : 96
    var length = 128
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy(ASCII.isDigit), let number = Int(parts[1]), number <= 128 - offset else {
        return nil
      }
      length = offset + number
    }
    first = address
    prefixLength = length
    guard address.bits & ~mask == 0 else { return nil }
  }

  public func contains(_ address: IPAddress) -> Bool { address.bits & mask == first.bits }

  public var description: String {
    "\(first)/\(first.isIPv4 && prefixLength >= 96 ? prefixLength - 96 : prefixLength)"
  }

  private var mask: UInt128 { prefixLength == 0 ? 0 : ~0 << UInt128(128 - prefixLength) }
}
