import CarillonEventLoop
import CarillonHTTP
import Testing

@Suite struct ConformanceTests {
  @Test func `a connection is kept and serves one request after the other`() async throws {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        for path in ["/a", "/b", "/c"] {
          try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
          let answer = try client.answer()
          #expect(answer.status == 200)
          #expect(answer.text == "GET \(path) -\n\n")
          #expect(answer.header("content-type") == ["text/plain"])
          #expect(answer.header("date").count == 1)
          #expect(answer.header("connection") == [])
        }
      }
    }
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", true),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", true),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", false),
    ("GET / HTTP/1.0\r\n\r\n", true),
    ("GET / HTTP/1.0\r\nHost: a\r\n\r\n", true),
    ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
  ])
  func `the client decides whether the connection is kept`(_ request: String, _ isClosed: Bool) async throws {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send(request)
        #expect(try client.answer().status == 200)
        if isClosed {
          #expect(try client.isEnded())
        } else {
          try client.send(request)
          #expect(try client.answer().status == 200)
        }
      }
    }
  }

  @Test(arguments: [
    ("/", "/", "-"),
    ("/v1/devices/a%2Fb%00%zz+", "/v1/devices/a%2Fb%00%zz+", "-"),
    ("/a?b=%41&c=%26&d", "/a", "b=%41&c=%26&d"),
    ("/a?", "/a", ""),
    ("/a??b?c", "/a", "?b?c"),
    ("/;x=y//../.", "/;x=y//../.", "-"),
    ("http://example.com:80/x/y?z", "/x/y", "z"),
    ("HTTP://example.com", "/", "-"),
    ("https://[::1]/", "/", "-"),
    ("*", "*", "-"),
  ])
  func `path and query come as they were sent`(_ target: String, _ path: String, _ query: String) async throws
  {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("OPTIONS \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().text == "OPTIONS \(path) \(query)\n\n")
      }
    }
  }

  @Test(arguments: ["PATCH", "DELETE", "PROPFIND", "x-!#$%&'*+.^_`|~1", "TRACE"])
  func `an unknown method is the handler's affair`(_ method: String) async throws {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("\(method) /m HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        #expect(try client.answer().text == "\(method) /m -\n\n")
      }
    }
  }

  @Test func `a HEAD is answered like a GET without its body`() async throws {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try client.answer(hasBody: false)
        #expect(head.status == 200)
        #expect(head.header("content-length") == ["11"])
        #expect(try client.answer().text == "GET /b -\n\n")
      }
    }
  }

  @Test(arguments: [204, 304])
  func `an answer without a body keeps the connection in step`(_ status: Int) async throws {
    let answer: Worker.Respond = { _ in
      HTTPResponse(status: status, headers: [("ETag", "\"e\"")], body: Array("left out".utf8))
    }
    try await withServer(answer: answer) { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        for _ in 0..<3 {
          try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
          let answer = try client.answer()
          #expect(answer.status == status)
          #expect(answer.header("etag") == ["\"e\""])
        }
      }
    }
  }

  @Test func `header fields arrive whole, trimmed, in order`() async throws {
    try await withServer { port, worker in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send(
          "GET / HTTP/1.1\r\nHost: a:80\r\nX-One:1\r\nx-one: \t two words \t\r\nX-Empty:\r\nCookie: a=b; c=\"d\"\r\n\r\n"
        )
        #expect(try client.answer().status == 200)
      }
      let headers = try #require(await worker.requests.first).headers
      #expect(
        headers.map { "\($0.name)=\($0.value)" } == [
          "Host=a:80", "X-One=1", "x-one=two words", "X-Empty=", "Cookie=a=b; c=\"d\"",
        ])
      #expect(headers.all("x-ONE") == ["1", "two words"])
    }
  }

  @Test func `pipelined requests are answered in order, whatever each waits for`() async throws {
    let answer: Worker.Respond = { request in
      if request.path.hasSuffix("0") { try? await Task.sleep(for: .milliseconds(3)) }
      if request.path.hasSuffix("1") { await Task.yield() }
      return await echo(request)
    }
    try await withServer(answer: answer) { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        let paths = (0..<90).map { "/\($0)/\($0 % 3)" }
        try client.send(
          paths.map { "POST \($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" }.joined())
        for path in paths { #expect(try client.answer().text == "POST \(path) -\n\nabc") }
      }
    }
  }

  @Test func `a client that asks is told to go on before it sends the body`() async throws {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("PUT /e HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.answer().status == 100)
        try client.send("abc")
        #expect(try client.answer().text == "PUT /e -\n\nabc")
      }
    }
  }

  @Test func `a request that comes byte by byte is read`() async throws {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        for byte in "PUT /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8 {
          try client.send([byte])
        }
        #expect(try client.answer().text == "PUT /slow -\n\nabc")
      }
    }
  }

  @Test(arguments: [0, 1, 1000, 100_000, 8_000_000])
  func `a body of any size comes back whole`(_ size: Int) async throws {
    let echoBody: Worker.Respond = { HTTPResponse(status: 200, body: $0.body) }
    try await withServer(limit: 8_000_000, answer: echoBody) { port, _ in
      try await onThread {
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let client = try RawClient(port: port)
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
        try client.send(body)
        #expect(try client.answer().body == body)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().body == [])
      }
    }
  }

  @Test(arguments: ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\u{0}b", "a\r\n\r\nHTTP/1.1 200 OK"])
  func `no header value of an answer can end its line`(_ value: String) async throws {
    let answer: Worker.Respond = { _ in
      HTTPResponse(status: 200, headers: [("X-Value", value), ("X-Last", "z")])
    }
    try await withServer(answer: answer) { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let lines = try client.remainder().split(separator: "\r\n", omittingEmptySubsequences: false)
        let expected = String(decoding: value.utf8.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
        #expect(lines.contains("X-Value: \(expected)"))
        #expect(lines.suffix(2) == ["", ""])
        #expect(!lines.dropLast(2).contains(""))
      }
    }
  }

  @Test func `the headers that frame an answer are the server's alone`() async throws {
    let answer: Worker.Respond = { _ in
      HTTPResponse(
        status: 200,
        headers: [
          ("Content-Length", "99"), ("transfer-encoding", "chunked"), ("Connection", "upgrade"),
          ("date", "now"),
        ], body: [0x61])
    }
    try await withServer(answer: answer) { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        for _ in 0..<2 {
          try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
          let answer = try client.answer()
          #expect(answer.header("content-length") == ["1"])
          #expect(answer.header("transfer-encoding") == [])
          #expect(answer.header("connection") == [])
          #expect(answer.header("date").count == 1)
          #expect(answer.text == "a")
        }
      }
    }
  }

  @Test func `the handler can end the connection`() async throws {
    let answer: Worker.Respond = { _ in
      var response = HTTPResponse(status: 401)
      response.closesConnection = true
      return response
    }
    try await withServer(answer: answer) { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().header("connection") == ["close"])
        #expect(try client.isEnded())
      }
    }
  }

  @Test func `an address in use is told`() async throws {
    let loop = try EventLoop(name: "address")
    loop.start()
    let worker = Worker(loop: loop, limit: 0, answer: echo)
    var configuration = HTTPServer.Configuration()
    configuration.address = "localhost"
    await #expect(throws: HTTPServerError.self) { try await worker.open(configuration) }
    configuration.address = "192.0.2.1"
    await #expect(throws: HTTPServerError.self) { try await worker.open(configuration) }
    loop.stop()
    await loop.waitUntilStopped()
  }
}
