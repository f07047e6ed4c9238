import CarillonEventLoop
import CarillonHTTP
import Glibc
import Testing

@Suite struct LimitTests {
  @Test func `a length over the limit is refused before the body is read`() async throws {
    try await withServer(limit: 10) { port, worker in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.status == 413)
        #expect(answer.text == "limit 10")
        #expect(answer.header("connection") == ["close"])
        #expect(try client.isEnded())
      }
      #expect(await worker.requests.isEmpty)
    }
  }

  @Test func `a connection of nothing but refusals ends`() async throws {
    var configuration = HTTPServer.Configuration.patient
    configuration.refusalsLimit = 3
    let answer: Worker.Respond = { request in
      HTTPResponse(status: request.path == "/much" ? 429 : 200, body: Array("x".utf8))
    }
    try await withServer(configuration, answer: answer) { port, worker in
      try await onThread {
        let client = try RawClient(port: port)
        let paths = ["/much", "/much", "/", "/much", "/much", "/much", "/much", "/"]
        try client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for (index, status) in [429, 429, 200, 429, 429, 429].enumerated() {
          let answer = try client.answer()
          #expect(answer.status == status)
          #expect(answer.header("connection") == (index == 5 ? ["close"] : []))
        }
        #expect(try client.isEnded())
        let next = try RawClient(port: port)
        try next.send("GET /much HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try next.answer().header("connection") == [])
      }
      #expect(await worker.requests.count == 7)
    }
  }

  @Test func `a body at the limit is taken`() async throws {
    try await withServer(limit: 10) { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789")
        #expect(try client.answer().text == "POST /a -\n\n0123456789")
      }
    }
  }

  @Test func `a refused client that goes on sending still gets its answer`() async throws {
    try await withServer(limit: 10) { port, _ in
      try await onThread {
        for _ in 0..<10 {
          let client = try RawClient(port: port)
          try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
          try client.send([UInt8](repeating: 0x61, count: 2_000_000))
          #expect(try client.answer().status == 413)
          #expect(try client.isEnded())
        }
      }
    }
  }

  @Test func `an endless chunked body ends with the connection`() async throws {
    try await withServer(limit: 10) { port, worker in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x61, count: 65_536) + Array("\r\n".utf8)
        // Far more than the socket buffers hold: the server must have closed before all of it is gone.
        #expect(throws: RawClient.Failure.self) { for _ in 0..<2000 { try client.send(chunk) } }
      }
      #expect(await worker.requests.isEmpty)
      #expect(await worker.inFlight == 0)
    }
  }

  @Test(arguments: [
    (1000, 200), (8000, 200), (20_000, 431),
  ])
  func `headers have a limit`(_ size: Int, _ status: Int) async throws {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        let value = String(repeating: "x", count: size)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Long: \(value)\r\n\r\n")
        #expect(try client.answer().status == status)
      }
    }
  }

  @Test func `targets have a limit`() async throws {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().status == 414)
      }
    }
  }

  @Test func `clients over the connection limit wait for a place`() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.connectionLimit = 4
    try await withServer(configuration) { port, _ in
      try await onThread {
        var clients = try (0..<4).map { _ in try RawClient(port: port) }
        for client in clients {
          try client.send("GET /in HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.answer().status == 200)
        }
        let waiting = try RawClient(port: port)
        try waiting.send("GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n")
        try clients[0].send("GET /again HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try clients[0].answer().status == 200)
        clients.removeFirst()
        #expect(try waiting.answer().text == "GET /waiting -\n\n")
      }
    }
  }

  @Test func `a silent connection ends after the idle timeout`() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.idleTimeout = .seconds(1)
    try await withServer(configuration) { port, _ in
      try await onThread {
        let silent = try RawClient(port: port)
        let used = try RawClient(port: port)
        try used.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try used.answer().status == 200)
        #expect(try silent.remainder() == "")
        #expect(try used.remainder() == "")
      }
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n",
  ])
  func `a client that dribbles forever does not keep its connection`(_ start: String) async throws {
    var configuration = HTTPServer.Configuration()
    configuration.idleTimeout = .seconds(2)
    configuration.transferTimeout = .seconds(2)
    try await withServer(configuration) { port, worker in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send(start)
        // Never silent for long; a server that only counts silence would read all of it.
        #expect(throws: RawClient.Failure.self) {
          for _ in 0..<600 {
            try client.send("x")
            usleep(50_000)
          }
        }
      }
      #expect(await worker.requests.isEmpty)
    }
  }

  @Test(.enabled(if: canOpenDescriptors(20_500), "needs a limit of 20,500 open files"))
  func `ten thousand idle connections leave room for a request`() async throws {
    try await withServer { port, _ in
      try await onThread {
        let idle = try (0..<10_000).map { _ in try RawClient(port: port) }
        let client = try RawClient(port: port)
        for _ in 0..<100 {
          try client.send("GET /room HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.answer().text == "GET /room -\n\n")
        }
        for client in [idle[0], idle[5000], idle[9999]] {
          try client.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.answer().text == "GET /late -\n\n")
        }
      }
    }
  }
}

/// Raises this process's limit of open files as far as it may go.
private func canOpenDescriptors(_ count: UInt) -> Bool {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
  if limit.rlim_cur < count {
    limit.rlim_cur = min(limit.rlim_max, max(count, limit.rlim_cur))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
  return limit.rlim_cur >= count
}
