extension ForwardedChain {
  /// Reads the values of `X-Forwarded-For`, which no standard defines: addresses between commas; some proxies add a
  /// port, and then brackets around an IPv6 address; some write `unknown`.
  public init(xForwardedFor fields: [String]) throws(ForwardedError) {
    let bytes = try Self.joined(fields)
    for part in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      var part = part
      while let first = part.first, ASCII.isSpace(first) { part.removeFirst() }
      while let last = part.last, ASCII.isSpace(last) { part.removeLast() }
      if !part.isEmpty { try append(Self.hop(String(decoding: part, as: UTF8.self))) }
    }
  }

  private static func hop(_ text: String) throws(ForwardedError) -> Hop {
    if text.lowercased() == "unknown" { return .unnamed }
    if let address = IPAddress(text) { return .address(address) }
    // Else there is a port, or there are brackets.
    var name = text[...]
    if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
      let port = text[text.index(after: colon)...]
      name = (1...5).contains(port.utf8.count) && port.utf8.allSatisfy(ASCII.isDigit) ? text[..<colon] : ""
    }
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    let inner = isBracketed ? name.dropFirst().dropLast() : name
    guard inner.contains(":") == isBracketed, let address = IPAddress(inner) else {
      throw ForwardedError("names a hop that is no address")
    }
    return .address(address)
  }
}
