import CarillonClient
import Foundation
import Testing

/// The usual transport on a real socket.
@Suite(.timeLimit(.minutes(1))) struct URLSessionTransportTests {
  private func withServer(
    _ body: (RawServer, URLSessionTransport) async throws -> Void
  ) async throws {
    let server = try RawServer()
    defer { server.stop() }
    try await body(server, URLSessionTransport(server: server.url))
  }

  private func get(_ target: String, timeout: Double = 20) -> TransportRequest {
    TransportRequest(method: "GET", target: target, timeout: timeout)
  }

  private func expectAnswer(from transport: URLSessionTransport) async throws {
    let response = try await transport.send(get("/"))
    #expect(response.status == 200)
  }

  @Test func methodTargetHeadersAndBodyArriveAsTheyAre() async throws {
    try await withServer { server, transport in
      let response = try await transport.send(
        TransportRequest(
          method: "PUT", target: "/v1/a%2Fb?limit=2",
          headers: [TransportHeader("Authorization", "Bearer t"), TransportHeader("X-Thing", "7")],
          body: Array("{\"é\":1}".utf8)))
      #expect(response.status == 200)
      let request = try #require(server.requests.first)
      #expect(request.hasPrefix("PUT /v1/a%2Fb?limit=2 HTTP/1.1\r\n"))
      #expect(request.contains("Authorization: Bearer t\r\n") && request.contains("X-Thing: 7\r\n"))
      #expect(request.hasSuffix("\r\n\r\n{\"é\":1}"))
    }
  }

  @Test func anErrorOfHTTPIsAnAnswer() async throws {
    try await withServer { _, transport in
      let response = try await transport.send(get("/missing"))
      #expect(response.status == 404 && response.header("x-thing") == "7")
      #expect(response.body == Array("{}".utf8))
    }
  }

  @Test func connectionsAreKept() async throws {
    try await withServer { server, transport in
      for _ in 0..<5 { try await expectAnswer(from: transport) }
      #expect(server.connections == 1)
    }
  }

  @Test func manyAtOnceAreAllAnswered() async throws {
    try await withServer { _, transport in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<50 { group.addTask { try await transport.send(get("/")).status } }
        for try await status in group { #expect(status == 200) }
      }
    }
  }

  @Test func aRedirectIsNotFollowed() async throws {
    try await withServer { server, transport in
      let response = try await transport.send(get("/redirect"))
      #expect(response.status == 307 && server.requests.count == 1)
    }
  }

  @Test(arguments: ["/cut", "/closed"]) func aBrokenConnectionIsAnError(path: String) async throws {
    try await withServer { _, transport in
      let error = await #expect(throws: TransportError.self) { try await transport.send(get(path)) }
      #expect(error?.code == .connection)
    }
  }

  @Test func silenceEndsWithTheTimeout() async throws {
    try await withServer { _, transport in
      let error = await #expect(throws: TransportError.self) {
        try await transport.send(get("/silent", timeout: 0.2))
      }
      #expect(error?.code == .timeout)
      // The session is none the worse for it.
      try await expectAnswer(from: transport)
    }
  }

  @Test func cancellationEndsTheWaitAtOnce() async throws {
    try await withServer { server, transport in
      let call = Task { try await transport.send(get("/silent", timeout: 3600)) }
      await server.arrived(1)
      call.cancel()
      let error = await #expect(throws: TransportError.self) { try await call.value }
      #expect(error?.code == .cancelled)
      try await expectAnswer(from: transport)
    }
  }

  @Test func aCancelledTaskSendsNothing() async throws {
    try await withServer { server, transport in
      let call = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await transport.send(get("/"))
      }
      let error = await #expect(throws: TransportError.self) { try await call.value }
      #expect(error?.code == .cancelled && server.requests.isEmpty)
    }
  }

  @Test func anAnswerThatNeverEndsIsCutOff() async throws {
    try await withServer { _, transport in
      let error = await #expect(throws: TransportError.self) { try await transport.send(get("/endless")) }
      #expect(error?.code == .tooLarge)
    }
  }

  @Test func nobodyThereIsAnError() async throws {
    let server = try RawServer()
    server.stop()
    let transport = URLSessionTransport(server: server.url)
    let error = await #expect(throws: TransportError.self) { try await transport.send(get("/")) }
    #expect(error?.code == .connection)
  }
}
