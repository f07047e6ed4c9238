import CarillonEventLoop
import CarillonHTTP
import Glibc
import Testing

@Suite struct DisconnectTests {
  /// Closed in order, closed for sending only, and reset.
  enum Leaving: CaseIterable {
    case close, finishSending, reset

    func leave(_ client: RawClient) {
      switch self {
      case .close: shutdown(client.descriptor, Int32(SHUT_RDWR))
      case .finishSending: client.finishSending()
      case .reset: client.reset()
      }
    }
  }

  @Test(arguments: Leaving.allCases)
  func `a handler whose client has gone is cancelled, and may go on as it likes`(_ leaving: Leaving)
    async throws
  {
    let gate = Gate()
    let answer: Worker.Respond = { request in
      if request.path == "/wait" { await gate.pass() }
      return await echo(request)
    }
    try await withServer(answer: answer) { port, worker in
      let client = Confined(try RawClient(port: port))
      try client.value.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
      await gate.entered.wait()
      leaving.leave(client.value)
      await gate.cancelled.wait()
      #expect(await worker.inFlight == 1)
      gate.opened.complete()
      try await onThread {
        if leaving == .finishSending { #expect(try client.value.answer().text == "GET /wait -\n\n") }
        let other = try RawClient(port: port)
        try other.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try other.answer().text == "GET /next -\n\n")
      }
      #expect(await worker.inFlight == 0)
    }
  }

  @Test func `a waiting client that stays is not disturbed by being watched`() async throws {
    let answer: Worker.Respond = { request in
      guard request.path == "/1" else { return await echo(request) }
      // Longer than the server waits before it watches.
      do { try await Task.sleep(for: .seconds(4)) } catch { return HTTPResponse(status: 500) }
      return await echo(request)
    }
    try await withServer(answer: answer) { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        // The second request lies unread all the time, and must not pass for an end.
        try client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().text == "GET /1 -\n\n")
        #expect(try client.answer().text == "GET /2 -\n\n")
      }
    }
  }

  @Test func `many clients that leave at any point leave nothing behind`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    let answer: Worker.Respond = { request in
      try? await Task.sleep(for: .milliseconds(Int(request.path.dropFirst()) ?? 0))
      return HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: 200_000))
    }
    try await withServer(answer: answer) { port, worker in
      try await onThread {
        for index in 0..<300 {
          let client = try RawClient(port: port)
          let request = Array(
            "POST /\(index % 5) HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789".utf8)
          let length = Int((seed >> 8 &+ UInt64(index) &* 7919) % UInt64(request.count + 1))
          try client.send(Array(request.prefix(length)))
          if index % 2 == 0 { client.reset() }
        }
      }
      while await worker.inFlight > 0 { try await Task.sleep(for: .milliseconds(1)) }
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().body.count == 200_000, "seed \(seed)")
      }
    }
  }

  @Test func `a client that does not read its answer holds up nobody else`() async throws {
    let answer: Worker.Respond = { _ in
      HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: 20_000_000))
    }
    try await withServer(answer: answer) { port, _ in
      try await onThread {
        let lazy = try RawClient(port: port)
        try lazy.send("GET /lazy HTTP/1.1\r\nHost: a\r\n\r\n")
        let client = try RawClient(port: port)
        try client.send("GET /keen HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().body.count == 20_000_000)
        #expect(try lazy.answer().body.count == 20_000_000)
      }
    }
  }
}

/// Unchecked: handed from the test to one thread at a time.
struct Confined<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
