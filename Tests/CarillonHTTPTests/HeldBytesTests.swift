import CarillonEventLoop
import CarillonHTTP
import Testing

/// What the server holds of bodies is bounded, whoever sends or reads them how slowly.
@Suite struct HeldBytesTests {
  private func configuration(_ limit: Int) -> HTTPServer.Configuration {
    var configuration = HTTPServer.Configuration.patient
    configuration.heldBytesLimit = limit
    return configuration
  }

  private func post(_ path: String, _ bytes: Int) -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes)\r\n\r\n"
  }

  @Test func `bodies over the limit are refused until others have gone`() async throws {
    let gate = Gate()
    try await withServer(
      configuration(100),
      answer: { request in
        if request.path == "/wait" { await gate.pass() }
        return HTTPResponse(status: 200, body: Array("\(request.body.count)".utf8))
      }
    ) { port, worker in
      let first = try await onThread {
        let client = try RawClient(port: port)
        try client.send(post("/wait", 80) + String(repeating: "x", count: 80))
        return Unshared(client)
      }
      while await worker.heldBytes < 80 {}
      try await onThread {
        let second = try RawClient(port: port)
        try second.send(post("/too-much", 40) + String(repeating: "x", count: 40))
        let refused = try second.answer()
        #expect(refused.status == 503 && refused.text == "overloaded")
        #expect(try second.remainder() == "")
        // What fits goes on.
        let third = try RawClient(port: port)
        try third.send(post("/little", 15) + String(repeating: "x", count: 15))
        #expect(try third.answer().text == "15")
      }
      gate.opened.complete()
      try await onThread {
        #expect(try first.value.answer().text == "80")
        let again = try RawClient(port: port)
        try again.send(post("/too-much", 90) + String(repeating: "x", count: 90))
        #expect(try again.answer().text == "90")
      }
      while await worker.heldBytes > 0 {}
    }
  }

  /// Answers that nobody reads count as well; the next request is refused before anything is done for it.
  @Test func `answers that nobody reads keep new requests out`() async throws {
    let megabyte = 1 << 20
    try await withServer(
      configuration(64 * megabyte),
      answer: { request in
        HTTPResponse(
          status: 200, body: [UInt8](repeating: 0x61, count: request.path == "/big" ? 40 << 20 : 1))
      }
    ) { port, worker in
      let slow = try await onThread {
        try (0..<2).map { _ in
          let client = try RawClient(port: port)
          try client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
          return Unshared(client)
        }
      }
      while await worker.heldBytes < 80 * megabyte {}
      let before = await worker.requests.count
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().status == 503)
        for client in slow { client.value.reset() }
      }
      #expect(await worker.requests.count == before)
      while await worker.heldBytes > 0 {}
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().status == 200)
      }
    }
  }

  /// Nobody has to wait for their time-out.
  @Test func `slow clients make room when the server holds too much`() async throws {
    try await withServer(
      configuration(100_000),
      answer: { _ in HTTPResponse(status: 200, body: Array("served".utf8)) }
    ) { port, worker in
      let slow = try await onThread {
        let client = try RawClient(port: port)
        try client.send(post("/", 200_000) + String(repeating: "x", count: 99_000))
        return Unshared(client)
      }
      while await worker.heldBytes < 99_000 {}
      try await onThread {
        #expect(try slow.value.isEnded())
        let client = try RawClient(port: port)
        try client.send(post("/", 90_000) + String(repeating: "x", count: 90_000))
        #expect(try client.answer().text == "served")
      }
    }
  }

  @Test func `clients that leave in the middle of a body leave nothing behind`() async throws {
    try await withServer { port, worker in
      try await onThread {
        for bytes in [0, 1, 5_000, 90_000] {
          let client = try RawClient(port: port)
          try client.send(post("/", 100_000) + String(repeating: "x", count: bytes))
          if bytes % 2 == 0 { client.reset() }
        }
      }
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().status == 200)
      }
      while await worker.heldBytes > 0 {}
    }
  }

  @Test func `who may not send a body is told before it comes`() async throws {
    try await withServer { port, worker in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send(post("/closed", 500_000))
        let answer = try client.answer()
        #expect(answer.status == 401 && answer.text == "closed")
        #expect(try client.remainder() == "")
      }
      #expect(await worker.requests.isEmpty)
    }
  }
}

/// Carries a client from one thread to the next.
private struct Unshared: @unchecked Sendable {
  // Unchecked: the test awaits each thread before it starts the next.
  let value: RawClient
  init(_ value: RawClient) { self.value = value }
}
