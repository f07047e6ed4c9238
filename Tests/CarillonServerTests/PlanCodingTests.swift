import CarillonClient
import Foundation
import IntegrationSupport
import Testing

/// Plans are compressed for those who ask, and nothing else is.
@Suite struct PlanCodingTests {
  private func withPlan(
    of count: Int, _ body: (TestServer, HTTPTestClient, String) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let id = Reports.newDevice()
      let answer = try await client.send(
        "POST", Reports.path(id),
        body: Reports.full(sequence: 1, extra: ",\"put\":[\(Reports.queue(count))]"))
      try #require(answer.status == 200, "\(answer)")
      try await body(server, client, id)
    }
  }

  private func plan(
    _ client: HTTPTestClient, _ id: String, _ headers: [(String, String)]
  ) async throws -> HTTPTestClient.Response {
    try await client.send("GET", Reports.path(id, "/plan"), headers: headers)
  }

  @Test func aLargePlanIsCompressedWhereItIsAsked() async throws {
    try await withPlan(of: 64) { server, client, id in
      // The first look may store what came due; from the second on the bodies are the same.
      _ = try await plan(client, id, [])
      let whole = try await plan(client, id, [])
      let small = try await plan(client, id, [("Accept-Encoding", "br;q=0.9, gzip;q=0.5")])
      #expect(whole.header("Content-Encoding") == nil && whole.header("Vary") == "Accept-Encoding")
      #expect(whole.header("ETag")?.hasPrefix("\"") == true)
      #expect(small.header("Content-Encoding") == "gzip" && small.header("Vary") == "Accept-Encoding")
      #expect(small.header("ETag")?.hasPrefix("W/\"") == true)
      #expect(small.body.prefix(2) == [0x1f, 0x8b] && small.body.count * 4 < whole.body.count)

      // Foundation asks for it, and unfolds it.
      let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
      let unfolded = try await URLSessionTransport(server: url).send(
        TransportRequest(
          method: "GET", target: Reports.path(id, "/plan"),
          headers: [TransportHeader("Authorization", "Bearer \(client.key ?? "")")]))
      #expect(unfolded.body == whole.body && unfolded.header("etag")?.hasPrefix("W/") == true)
    }
  }

  @Test func aWeakTagIsAsGoodAsTheStrongOne() async throws {
    try await withPlan(of: 64) { _, client, id in
      let small = try await plan(client, id, [("Accept-Encoding", "gzip")])
      let weak = try #require(small.header("ETag"))
      for tag in [weak, String(weak.dropFirst(2))] {
        for coding in ["gzip", "identity"] {
          let again = try await plan(client, id, [("If-None-Match", tag), ("Accept-Encoding", coding)])
          #expect(again.status == 304 && again.header("ETag") == tag && again.body.isEmpty)
          #expect(again.header("Vary") == "Accept-Encoding" && again.header("Content-Encoding") == nil)
        }
      }
    }
  }

  @Test(arguments: ["", "identity", "gzip;q=0", "gzip;q=1.5", "gzip;x=1", "deflate"])
  func whoDoesNotAskGetsItAsItIs(_ field: String) async throws {
    try await withPlan(of: 64) { _, client, id in
      let answer = try await plan(client, id, [("Accept-Encoding", field)])
      #expect(answer.status == 200 && answer.header("Content-Encoding") == nil)
      #expect(answer.json["held"]?.array?.count == 64)
    }
  }

  @Test func nothingElseIsCompressed() async throws {
    try await withPlan(of: 64) { _, client, id in
      for path in ["/notifications?limit=200", "/plan/explain?notification=p.000", "/inbox", ""] {
        let answer = try await client.send(
          "GET", Reports.path(id, path), headers: [("Accept-Encoding", "gzip")])
        #expect(answer.status == 200 && answer.header("Content-Encoding") == nil, "\(path): \(answer.status)")
      }
    }
    try await withPlan(of: 0) { _, client, id in
      let answer = try await plan(client, id, [("Accept-Encoding", "gzip")])
      #expect(answer.status == 200 && answer.header("Content-Encoding") == nil && answer.body.count <= 1_024)
      #expect(answer.header("ETag")?.hasPrefix("\"") == true)
    }
  }
}
