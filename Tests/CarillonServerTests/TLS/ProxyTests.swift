import CarillonJSON
import CarillonModel
import CarillonStore
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// Whose word the server takes for where a request comes from.
@Suite struct ProxyTests {
  private static let field = "for=198.51.100.1, for=192.0.2.7"

  /// The log names the client of a request that failed on the server's side.
  private func loggedClient(_ options: [String], _ headers: [(String, String)]) async throws -> String? {
    let database = try await MigratedDatabase.make()
    let server = try ProgramTests.Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "1"] + options,
      environment: ["DATABASE_URL": database.conninfo(.app)])
    try #require(await server.read(until: "ready"), "\(server.lines)")
    let tenant = try await TestTenant.make(
      "proxied", operatorConninfo: database.conninfo(.operator), at: Instant(seconds: 1_780_000_000))
    _ = try await database.column("DROP SCHEMA carillon CASCADE")
    let client = HTTPTestClient(port: try #require(server.port("port")), key: tenant.key)
    let answer = try await client.send("GET", "/v1/policy", headers: headers)
    try #require(answer.status == 500, "\(answer)")
    #expect(await server.read(until: "request failed"))
    server.process.terminate()
    _ = await server.readToEnd()
    return server.lines.compactMap {
      $0.firstMatch(of: try! Regex("\"client\":\"([^\"]*)\"", as: (Substring, Substring).self))
    }
    .first.map { String($0.output.1) }
  }

  @Test func theClientBehindATrustedProxyIsTheOneThatCounts() async throws {
    #expect(
      try await loggedClient(["--trusted-proxies", "10.0.0.0/8,127.0.0.1"], [("Forwarded", Self.field)])
        == "192.0.2.7")
    #expect(
      try await loggedClient(
        ["--trusted-proxies", "127.0.0.0/8", "--forwarded-header", "X-Forwarded-For"],
        [("Forwarded", Self.field), ("X-Forwarded-For", "203.0.113.9")]) == "203.0.113.9")
  }

  @Test func aStrangersWordIsNotLookedAt() async throws {
    #expect(try await loggedClient([], [("Forwarded", Self.field)]) == "127.0.0.1")
    #expect(
      try await loggedClient(["--trusted-proxies", "10.0.0.0/8"], [("Forwarded", "for=\"")]) == "127.0.0.1")
  }

  @Test func aFieldThatCannotBeReadIsRefused() async throws {
    let database = try await MigratedDatabase.make()
    let server = try ProgramTests.Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1"],
      environment: ["DATABASE_URL": database.conninfo(.app)])
    try #require(await server.read(until: "ready"), "\(server.lines)")
    let client = HTTPTestClient(port: try #require(server.port("port")))
    let answer = try await client.send("GET", "/v1/policy", headers: [("Forwarded", "for=\"192.0.2.7")])
    #expect(answer.status == 400 && answer.json["code"]?.string == "invalidHeader", "\(answer)")
    #expect(answer.json["detail"]?.string?.contains("Forwarded") == true, "\(answer)")
    #expect(try await client.send("GET", "/v1/policy").status == 401)
    server.process.terminate()
    _ = await server.readToEnd()
  }

  @Test(arguments: [
    ["--trusted-proxies", "10.0.0.1/8"], ["--trusted-proxies", "10.0.0.0/8,"],
    ["--trusted-proxies", "proxy"],
    ["--forwarded-header", "Forwarded-For"],
  ])
  func aBadOptionIsAUsageError(_ options: [String]) async throws {
    let server = try ProgramTests.Running(options)
    let text = await server.readToEnd()
    #expect(server.process.terminationStatus == 2)
    #expect(text.contains(options[0]), "\(text)")
  }
}
