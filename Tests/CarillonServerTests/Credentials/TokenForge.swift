import CarillonAPI
import CarillonCrypto
import CarillonModel
import Foundation
import IntegrationSupport
import Testing

/// Makes tokens that no server would, with a tenant's genuine signing secret or without.
struct TokenForge {
  /// The `kid` of the tenant's key that signs.
  var keyID: String
  /// What it signs with, taken from the database with the master key.
  var secret: [UInt8]

  /// - Parameter tenant: has minted a token.
  init(_ tenant: TestTenant, in server: TestServer) async throws {
    let row = try await server.database.column(
      """
      SELECT key_id || ' ' || master_key || ' ' || encode(sealed_secret, 'hex') FROM carillon.signing_keys
      WHERE tenant_id = '\(tenant.id.text)' AND retires_at IS NULL
      """)
    let words = try #require(row.first ?? nil).split(separator: " ").map(String.init)
    let digits = Array(words[2].utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)!
    }
    keyID = words[0]
    secret = try TestServer.masterKeys.open(
      SealedSecret(masterKey: words[1], bytes: bytes),
      at: .signingKey(keyID, tenant: tenant.id.text))
  }

  /// A token of this header and these claims, signed with ``secret``.
  func token(header: String, claims: String) -> String {
    let input = "\(Self.base64URL(Array(header.utf8))).\(Self.base64URL(Array(claims.utf8)))"
    let code = SHA256.authenticationCode(of: Array(input.utf8), key: secret)
    return "\(input).\(Self.base64URL(code.bytes))"
  }

  func token(
    device: String, tenant: TestTenant, now: Instant, expiresIn seconds: Int64 = 3_600,
    algorithm: String = "HS256"
  ) -> String {
    let issued = now.milliseconds / 1000
    return token(
      header: "{\"alg\":\"\(algorithm)\",\"typ\":\"JWT\",\"kid\":\"\(keyID)\"}",
      claims:
        "{\"sub\":\"\(device)\",\"tid\":\"\(tenant.id.text)\",\"iat\":\(issued),\"exp\":\(issued + seconds)}")
  }

  static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().filter { $0 != "=" }
      .map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }.joined()
  }

  /// Tokens that look like the owner's, each wrong in one thing; every one must be refused as if it were noise.
  static func forgeries(
    of genuine: String, device: String, owner: TestTenant, stranger: TestTenant, in server: TestServer
  ) async throws -> [(name: String, token: String)] {
    let own = try await TokenForge(owner, in: server)
    let theirs = try await TokenForge(stranger, in: server)
    let parts = genuine.split(separator: ".").map(String.init)
    let now = server.clock.now
    var wrongKey = theirs
    wrongKey.keyID = own.keyID
    var unknownKey = own
    unknownKey.keyID = "zzzzzzzzzzzz"
    let unsigned = own.token(device: device, tenant: owner, now: now, algorithm: "none")
    let last = parts[2].last == "A" ? "E" : "A"
    return [
      ("the owner's claims under the stranger's key", theirs.token(device: device, tenant: owner, now: now)),
      (
        "the stranger's signature under the owner's kid",
        wrongKey.token(device: device, tenant: owner, now: now)
      ),
      ("a kid that nobody has", unknownKey.token(device: device, tenant: owner, now: now)),
      ("the stranger's claims under the owner's key", own.token(device: device, tenant: stranger, now: now)),
      ("alg none, signed", unsigned),
      ("alg none, unsigned", unsigned.split(separator: ".").prefix(2).joined(separator: ".") + "."),
      ("alg HS512", own.token(device: device, tenant: owner, now: now, algorithm: "HS512")),
      ("no signature", "\(parts[0]).\(parts[1])."),
      ("a signature of zeros", "\(parts[0]).\(parts[1]).\(String(repeating: "A", count: 43))"),
      ("another signature", "\(parts[0]).\(parts[1]).\(parts[2].dropLast(2))\(last)\(parts[2].last!)"),
      ("an empty key", signedWithNothing("\(parts[0]).\(parts[1])")),
      ("a user put into the claims", "\(parts[0]).\(withUser(parts[1])).\(parts[2])"),
      ("claims that are none", own.token(header: header(own), claims: "{}")),
      (
        "a device that is none",
        own.token(device: "*", tenant: owner, now: now)
      ),
    ]
  }

  private static func header(_ forge: TokenForge) -> String {
    "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"\(forge.keyID)\"}"
  }

  private static func withUser(_ claims: String) -> String {
    let padding = String(repeating: "=", count: (4 - claims.utf8.count % 4) % 4)
    let base64 = claims.map { $0 == "-" ? "+" : $0 == "_" ? "/" : String($0) }.joined() + padding
    let json = Data(base64Encoded: base64).map(Array.init) ?? []
    return base64URL(json.dropLast() + Array(",\"uid\":\"ann\"}".utf8))
  }

  private static func signedWithNothing(_ input: String) -> String {
    "\(input).\(base64URL(SHA256.authenticationCode(of: Array(input.utf8), key: []).bytes))"
  }
}
