import CarillonHTTP

enum ForwardedTarget {
  /// What a client wrote into `Forwarded` or `X-Forwarded-For`, a line for each field.
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let fields = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    // Whatever the client wrote, the word of the proxy that adds to it stays the last one, or nothing is believed.
    for word in ["192.0.2.1", "2001:db8::1"] {
      let forwarded = word.contains(":") ? "for=\"[\(word)]\"" : "for=\(word)"
      try check(word, in: try? ForwardedChain(forwarded: fields + [forwarded]))
      try check(word, in: try? ForwardedChain(forwarded: appended(forwarded, to: fields)))
      try check(word, in: try? ForwardedChain(xForwardedFor: appended(word, to: fields)))
    }
    for field in fields { try checkAddress(field) }
  }

  /// As a proxy does that joins what it has with what it adds.
  private static func appended(_ word: String, to fields: [String]) -> [String] {
    [(fields + [word]).joined(separator: ", ")]
  }

  private static func check(_ word: String, in chain: ForwardedChain?) throws(Finding) {
    guard let chain else { return }
    try expect(chain.hops.count <= ForwardedChain.hopLimit, "\(chain.hops.count) hops")
    try expect(
      chain.hops.last == IPAddress(word).map { .address($0) }, "the word of the proxy is lost: \(chain.hops)")
  }

  private static func checkAddress(_ text: String) throws(Finding) {
    if let address = IPAddress(text) {
      try expect(IPAddress(address.description) == address, "\(address) is read as another address")
    }
    if let range = AddressRange(text) {
      try expect(AddressRange(range.description) == range, "\(range) is read as another range")
      try expect(range.contains(range.first), "\(range) is without its first address")
    }
  }
}
