/// Whose word is taken for where a request comes from.
public struct TrustedProxies: Sendable, Hashable {
  /// The field in which the proxies write it. One only: a proxy passes on what it does not write itself, and then it is
  /// the client's word.
  public enum Field: String, Sendable, CaseIterable {
    case forwarded = "Forwarded"
    case xForwardedFor = "X-Forwarded-For"
  }

  /// More is a mistake.
  public static let rangeLimit = 64

  public var ranges: [AddressRange] = []
  public var field = Field.forwarded

  public init() {}

  public func trusts(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

  /// Who made a request: the last hop that is no proxy of ours. From anybody else than our proxies the field is not
  /// looked at. Where a proxy hides who came to it, that proxy is the last that is known.
  ///
  /// - Parameter peer: the other end of the connection.
  public func client(peer: IPAddress, headers: HTTPHeaders) throws(ForwardedError) -> IPAddress {
    guard trusts(peer) else { return peer }
    let fields = headers.all(field.rawValue)
    guard !fields.isEmpty else { return peer }
    let chain =
      switch field {
      case .forwarded: try ForwardedChain(forwarded: fields)
      case .xForwardedFor: try ForwardedChain(xForwardedFor: fields)
      }
    var client = peer
    for hop in chain.hops.reversed() {
      guard case .address(let address) = hop else { break }
      client = address
      guard trusts(address) else { break }
    }
    return client
  }
}
