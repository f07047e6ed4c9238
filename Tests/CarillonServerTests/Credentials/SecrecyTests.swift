import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonStore
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// Where a secret must not show: the log, the metrics, the answers, the arguments of the process, the database.
@Suite struct SecrecyTests {
  @Test func noSecretShowsAnywhere() async throws {
    let database = try await MigratedDatabase.make()
    try await withTemporaryFolder { folder in
      var random = SecureRandom()
      let master = MasterKey.make(using: &random)
      let file = "\(folder)/master.key"
      try SecretFile.create(file, master.text + "\n")
      let server = try ProgramTests.Running(
        [
          "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "2", "--master-key-file",
          file,
        ],
        environment: ["DATABASE_URL": database.conninfo(.app) + " password=database-password"])
      try #require(await server.read(until: "ready"), "\(server.lines)")
      let port = try #require(server.port("port"))
      let admin = HTTPTestClient(port: try #require(server.port("adminPort")))
      let tenant = try await TestTenant.make(
        "acme", operatorConninfo: database.conninfo(.operator),
        at: Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
      let device = Reports.newDevice()
      let backend = HTTPTestClient(port: port, key: tenant.key)
      let minted = try await backend.send("POST", "/v1/devices/\(device)/token", body: "{}")
      let token = try #require(minted.json["token"]?.string)
      let signature = String(try #require(token.split(separator: ".").last))
      let sealed = try #require(
        try await database.column(
          "SELECT key_id || ' ' || encode(sealed_secret, 'hex') FROM carillon.signing_keys"
        ).first ?? nil
      ).split(separator: " ").map(String.init)
      let secret = try MasterKeys(current: master).open(
        SealedSecret(masterKey: master.fingerprint, bytes: Self.bytes(sealed[1])),
        at: .signingKey(sealed[0], tenant: tenant.id.text))

      let forged = token.dropLast(2) + (token.hasSuffix("AA") ? "BA" : "AA")
      let wrong = tenant.key.dropLast() + (tenant.key.hasSuffix("a") ? "b" : "a")
      var answers: [String] = []
      for key in [tenant.key, token, String(forged), String(wrong), token + "x", "\(tenant.key) \(token)"] {
        let client = HTTPTestClient(port: port, key: key)
        for (method, path, body) in [
          ("GET", Reports.path(device, "/plan"), nil), ("GET", "/v1/policy?key=\(key.prefix(60))", nil),
          ("POST", Reports.path(device), "{\"sequence\":1,\"x\":\"\(key)\"}"),
          ("POST", Reports.path(device), "{"),
          ("PUT", "/v1/policy", "{\"nothing\":1}"), ("GET", "/v1/nothing", nil),
        ] as [(String, String, String?)] {
          answers.append(try await client.send(method, path, body: body).text)
        }
      }
      // What fails on the server's side is logged.
      _ = try await database.column(
        "UPDATE carillon.signing_keys SET sealed_secret = sealed_secret || '\\x00' RETURNING key_id")
      let failed = try await backend.send("POST", "/v1/devices/\(device)/token", body: "{}")
      #expect(failed.status == 503)
      let metrics = try await admin.send("GET", "/metrics").text
      let arguments = try String(
        contentsOfFile: "/proc/\(server.process.processIdentifier)/cmdline", encoding: .utf8)
      #expect(arguments.contains("--master-key-file"))
      server.process.terminate()
      let log = server.lines.joined(separator: "\n") + (await server.readToEnd())
      #expect(log.contains("a signing key does not open") && log.contains("stopped"), "\(log)")

      let secrets = [
        String(tenant.key.suffix(52)), signature, master.text, Self.digits(Self.bytes(base64: master.text)),
        Self.digits(secret), Data(secret).base64EncodedString(), TokenForge.base64URL(secret),
        "database-password",
      ]
      let places = [("log", log), ("metrics", metrics), ("arguments", arguments)]
      for secret in secrets {
        for (name, text) in places + answers.map({ ("answer", $0) }) + [("answer", failed.text)] {
          #expect(!text.contains(secret), "a secret shows in the \(name)")
        }
      }
      #expect(try await Self.places(of: secrets.dropLast(), in: database) == [])
    }
  }

  /// The tables in which one of the words stands, as text or as bytes.
  private static func places(of words: some Sequence<String>, in database: MigratedDatabase) async throws
    -> [String]
  {
    var found: [String] = []
    let tables = try await database.column(
      "SELECT relname::text FROM pg_class WHERE relnamespace = 'carillon'::regnamespace AND relkind IN ('r', 'p')"
    )
    for table in tables.compactMap(\.self) {
      for row in try await database.column("SELECT t::text FROM carillon.\(table) AS t").compactMap(\.self) {
        for word in words where row.contains(word) || row.contains(digits(Array(word.utf8))) {
          found.append(table)
        }
      }
    }
    return found
  }

  private static func digits(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0..<($0 + 2)]), radix: 16)! }
  }

  private static func bytes(base64: String) -> [UInt8] { Data(base64Encoded: base64).map(Array.init) ?? [] }
}
