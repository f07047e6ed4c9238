import CarillonEventLoop
import CarillonHTTP
import TestSupport
import Testing

/// What holds of requests in plain HTTP holds of encrypted ones.
@Suite struct TLSServingTests {
  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `pipelined requests are answered in order, at once and later`(_ version: String) async throws {
    let answer: Worker.Respond = { request in
      if request.path == "/2" { try? await Task.sleep(for: .milliseconds(20)) }
      return await echo(request)
    }
    try await withTLSServer(answer: answer) { port, _, maker in
      try await onThread {
        let client = try TLSClient(port: port, authority: maker, [version])
        let requests = (1...4).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab" }
        try client.raw.send(requests.joined())
        for number in 1...4 { #expect(try client.raw.answer().text == "POST /\(number) -\n\nab") }
      }
    }
  }

  /// Pieces of every size around that of a record, so that what GnuTLS has read and nobody has asked for is found.
  @Test func `bodies of many records come whole in both directions`() async throws {
    let answer: Worker.Respond = { HTTPResponse(status: 200, body: $0.body + $0.body) }
    try await withTLSServer(limit: 20_000_000, answer: answer) { port, _, maker in
      try await onThread {
        let client = try TLSClient(port: port, authority: maker)
        for count in [1, 16_000, 16_383, 16_384, 16_385, 40_000, 5_000_000] {
          let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
          try client.raw.send(
            Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n".utf8) + body)
          #expect(try client.raw.answer().body == body + body, "\(count) bytes")
        }
      }
    }
  }

  @Test func `a refused client that goes on sending still gets its answer`() async throws {
    try await withTLSServer(limit: 10) { port, _, maker in
      try await onThread {
        for _ in 0..<3 {
          let client = try TLSClient(port: port, authority: maker)
          try client.raw.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n")
          try client.raw.send([UInt8](repeating: 0x61, count: 200_000))
          #expect(try client.raw.answer().status == 413)
          #expect(try client.raw.isEnded())
        }
      }
    }
  }

  /// See `RefusalTests`: the answer goes past libmicrohttpd, and must be encrypted all the same.
  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a length that is no number has one answer`(_ version: String) async throws {
    try await withTLSServer { port, worker, maker in
      try await onThread {
        let client = try TLSClient(port: port, authority: maker, [version])
        try client.raw.send(
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.raw.answer().status == 400)
        #expect(try client.raw.remainder() == "")
      }
      #expect(await worker.requests.isEmpty)
    }
  }

  @Test func `a handler whose client has gone is cancelled`() async throws {
    let gate = Gate()
    try await withTLSServer(answer: waiting(at: gate)) { port, worker, maker in
      let client = try await onThread { Confined(try TLSClient(port: port, authority: maker)) }
      try client.value.raw.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
      await gate.entered.wait()
      client.value.kill()
      await gate.cancelled.wait()
      gate.opened.complete()
      while await worker.connectionCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(await worker.inFlight == 0)
    }
  }

  @Test func `a drain finishes what is in flight, and says farewell to the rest`() async throws {
    let gate = Gate()
    try await withTLSServer(answer: waiting(at: gate)) { port, worker, maker in
      let (idle, busy) = try await onThread {
        (
          Confined(try TLSClient(port: port, authority: maker)),
          Confined(try TLSClient(port: port, authority: maker))
        )
      }
      try await onThread {
        try idle.value.raw.send("GET /before HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try idle.value.raw.answer().status == 200)
      }
      try busy.value.raw.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
      await gate.entered.wait()
      let drain = Task { await worker.drain(.seconds(600)) }
      try await onThread { () throws in #expect(try idle.value.raw.remainder() == "") }
      gate.opened.complete()
      try await onThread {
        let answer = try busy.value.raw.answer()
        #expect(answer.text == "GET /wait -\n\n")
        #expect(answer.header("connection") == ["close"])
        #expect(try busy.value.raw.isEnded())
      }
      await drain.value
    }
  }

  /// RFC 8446, section 6.1: without a farewell a client cannot tell an end from an attack.
  @Test(arguments: ["close", "drain"])
  func `an end is announced`(_ way: String) async throws {
    try await withTLSServer { port, worker, maker in
      let ended = Task {
        try await onThread { try python("way = \"\(way)\"\n" + readingToTheEnd, port, maker) }
      }
      if way == "drain" {
        while await worker.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        await worker.drain(.seconds(600))
      }
      let text = try await ended.value
      #expect(text.contains("announced"), "\(text)")
    }
  }
}

private let readingToTheEnd = """
  import socket, ssl, sys
  context = ssl.create_default_context(cafile=sys.argv[2])
  plain = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
  secure = context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=False)
  how = b"keep-alive" if way == "drain" else b"close"
  secure.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: " + how + b"\\r\\n\\r\\n")
  while secure.recv(1000):
      pass
  print("announced")
  """
