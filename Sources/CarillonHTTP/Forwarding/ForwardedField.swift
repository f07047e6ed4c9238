extension ForwardedChain {
  /// Reads the values of `Forwarded` (RFC 7239, section 4) in one pass. Of each element only `for` is kept; all of it is
  /// checked. Beyond the grammar, white space may stand around a semicolon.
  public init(forwarded fields: [String]) throws(ForwardedError) {
    var reader = ForwardedReader(bytes: try Self.joined(fields))
    while !reader.isAtEnd {
      if let hop = try reader.element() { try append(hop) }
    }
  }
}

/// A position in the value of `Forwarded`.
private struct ForwardedReader {
  private let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// One element and the comma behind it; nil for an empty one, which a list may have.
  mutating func element() throws(ForwardedError) -> ForwardedChain.Hop? {
    var names: Set<String> = []
    var hop: ForwardedChain.Hop?
    while true {
      skipSpace()
      if let next, ASCII.isToken(next) {
        let name = token().lowercased()
        guard names.insert(name).inserted else { throw ForwardedError("says '\(name)' twice of one hop") }
        guard take(UInt8(ascii: "=")) else { throw ForwardedError("has a name without a value") }
        let value = try value()
        if name == "for" { hop = try Self.node(value) }
        skipSpace()
      }
      if take(UInt8(ascii: ";")) { continue }
      guard isAtEnd || take(UInt8(ascii: ",")) else { throw ForwardedError("is not as RFC 7239 has it") }
      return names.isEmpty ? nil : hop ?? .unnamed
    }
  }

  private mutating func token() -> String {
    let start = position
    while let next, ASCII.isToken(next) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func value() throws(ForwardedError) -> String {
    guard take(UInt8(ascii: "\"")) else {
      let token = token()
      guard !token.isEmpty else { throw ForwardedError("has a name without a value") }
      return token
    }
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = next, ASCII.isFieldValue(escaped) else { break }
        position += 1
        text.append(escaped)
      default:
        guard ASCII.isFieldValue(byte) else { throw ForwardedError("holds a control character") }
        text.append(byte)
      }
    }
    throw ForwardedError("has a quotation without an end")
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let next, ASCII.isSpace(next) { position += 1 }
  }

  /// `nodename [ ":" node-port ]` (RFC 7239, section 6).
  private static func node(_ text: String) throws(ForwardedError) -> ForwardedChain.Hop {
    var name = text[...]
    // An IPv6 address has its colons in brackets.
    if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
      guard isPort(text[text.index(after: colon)...]) else {
        throw ForwardedError("has a hop with a bad port")
      }
      name = text[..<colon]
    }
    if name.lowercased() == "unknown" || isObfuscated(name) { return .unnamed }
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    let inner = isBracketed ? name.dropFirst().dropLast() : name
    guard inner.contains(":") == isBracketed, let address = IPAddress(inner) else {
      throw ForwardedError("names a hop that is no address")
    }
    return .address(address)
  }

  private static func isPort(_ text: Substring) -> Bool {
    isObfuscated(text) || (1...5).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isDigit)
  }

  private static func isObfuscated(_ text: Substring) -> Bool {
    text.utf8.count > 1 && text.utf8.first == UInt8(ascii: "_")
      && text.utf8.dropFirst().allSatisfy { ASCII.isAlphanumeric($0) || "._-".utf8.contains($0) }
  }
}
