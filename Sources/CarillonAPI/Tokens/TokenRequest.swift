import CarillonJSON
import CarillonModel

/// The body of `POST /v1/devices/{deviceId}/token`: `{"ttl"?, "userId"?}`.
public struct TokenRequest: Hashable, Sendable {
  /// Seconds the token shall live, in ``WireLimits/tokenSeconds``.
  public var ttl: Int
  /// The one user the token shall serve, `null` on the wire for nobody; absent, nil: whoever the device reports.
  public var user: BoundUser?

  public init(ttl: Int = WireLimits.defaultTokenSeconds, user: BoundUser? = nil) {
    self.ttl = ttl
    self.user = user
  }

  /// Strict: a misspelt member would give a token of another life than was meant.
  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body, limits: JSONLimits(depth: 8, values: 64, bytes: WireLimits.bodyBytes)) {
      (reader) throws(JSONError) in
      var request = TokenRequest()
      try reader.object { (reader, name) throws(JSONError) in
        switch name {
        case "ttl":
          if try !reader.null() { request.ttl = try reader.int(in: WireLimits.tokenSeconds) }
        case "userId":
          request.user = try reader.null() ? .nobody : try BoundUser(from: &reader)
        default: throw reader.unknownMember(name)
        }
      }
      return request
    }
  }

  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("ttl", ttl)
      guard let user else { return }
      writer.name("userId")
      if user == .nobody { writer.null() } else { writer.string(user.id) }
    }
    return writer.bytes
  }
}

/// A token for a device, as it is answered. A secret: to be handed to the device and kept nowhere else.
public struct TokenResponse: Hashable, Sendable {
  public var token: String
  public var expiresAt: Instant

  public init(token: String, expiresAt: Instant) {
    self.token = token
    self.expiresAt = expiresAt
  }

  /// Reads an answer; members of newer servers are ignored.
  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body) { (reader) throws(JSONError) in
      var token: String?
      var expiresAt: Instant?
      try reader.object { (reader, name) throws(JSONError) in
        switch name {
        case "token": token = try reader.string()
        case "expiresAt": expiresAt = try reader.instant()
        default: try reader.skip()
        }
      }
      guard let token else { throw reader.missingMember("token") }
      guard let expiresAt else { throw reader.missingMember("expiresAt") }
      return TokenResponse(token: token, expiresAt: expiresAt)
    }
  }

  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("token", token)
      writer.member("expiresAt", expiresAt.text)
    }
    return writer.bytes
  }
}
