import CarillonJSON
import CarillonModel

/// A device's credential: a JWT (RFC 7519) in compact form that reaches one device of one tenant until it expires.
///
/// The algorithm is ours to choose and never the token's: its header must say `HS256`, or it is no token. Reading one
/// says nothing about whether it is genuine: hold ``signature`` against ``signingInput`` first, with the key that
/// ``keyID`` names, and only then look at ``claims()``.
///
///     let draft = DeviceToken.signingInput(keyID: key.id, claims)
///     let text = DeviceToken.text(draft, signature: sign(draft, key))
///
///     guard let token = DeviceToken(bearer), isGenuine(token), let claims = token.claims() else { … }
public struct DeviceToken: Sendable, CustomStringConvertible, CustomReflectable {
  /// A longer one is refused unread; ours have about 350, and up to 971 with a user's id.
  public static let maximumBytes = 1_024
  /// Of an HMAC with SHA-256.
  public static let signatureBytes = 32
  static let algorithm = "HS256"
  static let type = "JWT"

  /// The key's id: the header's `kid`.
  public let keyID: String
  /// What was signed: the first two parts, as they came.
  public let signingInput: [UInt8]
  public let signature: [UInt8]
  private let payload: [UInt8]

  /// Nil when the text does not have the form of a token of ours.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes else { return nil }
    let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.bytes(String(parts[0])),
      let payload = Base64URL.bytes(String(parts[1])), let signature = Base64URL.bytes(String(parts[2])),
      signature.count == Self.signatureBytes, let keyID = Self.keyID(inHeader: header)
    else { return nil }
    self.keyID = keyID
    self.payload = payload
    self.signature = signature
    signingInput = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
  }

  /// What the token says; nil when it is not all there. Believe it only after the signature.
  public func claims() -> DeviceTokenClaims? { try? DeviceTokenClaims(payload) }

  /// The header and the claims, to be signed.
  public static func signingInput(keyID: String, _ claims: DeviceTokenClaims) -> [UInt8] {
    var header = JSONWriter()
    header.object { writer in
      writer.member("alg", algorithm)
      writer.member("typ", type)
      writer.member("kid", keyID)
    }
    return Array("\(Base64URL.text(header.bytes)).\(Base64URL.text(claims.json))".utf8)
  }

  /// The whole token.
  public static func text(_ signingInput: [UInt8], signature: [UInt8]) -> String {
    String(decoding: signingInput, as: UTF8.self) + "." + Base64URL.text(signature)
  }

  /// The header has these three members and no other: one that asks for something more (`crit`), or brings a key of its
  /// own (`jwk`, `jku`, `x5u`), is none of ours.
  private static func keyID(inHeader bytes: [UInt8]) -> String? {
    var found: (algorithm: String?, type: String?, keyID: String?)
    do throws(JSONError) {
      try JSONReader.read(bytes, limits: DeviceTokenClaims.limits) { (reader) throws(JSONError) in
        try reader.object { (reader, name) throws(JSONError) in
          switch name {
          case "alg": found.algorithm = try reader.string()
          case "typ": found.type = try reader.string()
          case "kid": found.keyID = try reader.string()
          default: throw reader.unknownMember(name)
          }
        }
      }
    } catch {
      return nil
    }
    guard found.algorithm == algorithm, found.type == type, let keyID = found.keyID,
      isKeyID(keyID)
    else { return nil }
    return keyID
  }

  /// Twelve characters `a`...`z`, `2`...`7`.
  private static func isKeyID(_ text: String) -> Bool {
    text.utf8.count == 12
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
          || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains($0)
      }
  }

  /// Nothing that could be used: a token is a secret.
  public var description: String { "device token of key \(keyID)" }
  public var customMirror: Mirror { Mirror(self, children: ["keyID": keyID]) }
}

/// What a device token says.
public struct DeviceTokenClaims: Hashable, Sendable {
  /// `sub`
  public var device: DeviceID
  /// `tid`
  public var tenant: TenantID
  /// `iat`, in whole seconds.
  public var issuedAt: Instant
  /// `exp`, in whole seconds: from then on it is refused.
  public var expiresAt: Instant
  /// `uid`, empty for nobody; without the claim: nil, whoever the device reports.
  public var user: BoundUser?

  static let limits = JSONLimits(depth: 4, values: 32, bytes: DeviceToken.maximumBytes)
  /// Seconds since 1970, until 9999.
  private static let seconds = 0...253_402_300_799

  public init(
    device: DeviceID, tenant: TenantID, issuedAt: Instant, expiresAt: Instant, user: BoundUser? = nil
  ) {
    self.device = device
    self.tenant = tenant
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.user = user
  }

  /// Members of newer servers are ignored.
  init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body, limits: Self.limits) { (reader) throws(JSONError) in
      try Self(from: &reader)
    }
  }

  private init(from reader: inout JSONReader) throws(JSONError) {
    var device: DeviceID?
    var tenant: TenantID?
    var times: (issued: Int?, expires: Int?)
    var user: BoundUser?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "sub": device = try reader.deviceID()
      case "tid": tenant = TenantID(try reader.string())
      case "iat": times.issued = try reader.int(in: Self.seconds)
      case "exp": times.expires = try reader.int(in: Self.seconds)
      case "uid": user = try BoundUser(from: &reader)
      default: try reader.skip()
      }
    }
    guard let device else { throw reader.missingMember("sub") }
    guard let tenant else { throw reader.missingMember("tid") }
    guard let issued = times.issued else { throw reader.missingMember("iat") }
    guard let expires = times.expires else { throw reader.missingMember("exp") }
    self.init(
      device: device, tenant: tenant, issuedAt: Instant(seconds: Int64(issued)),
      expiresAt: Instant(seconds: Int64(expires)), user: user)
  }

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("sub", device.text)
      writer.member("tid", tenant.text)
      writer.member("iat", Int(issuedAt.milliseconds / 1000))
      writer.member("exp", Int(expiresAt.milliseconds / 1000))
      if let user { writer.member("uid", user.id) }
    }
    return writer.bytes
  }
}
