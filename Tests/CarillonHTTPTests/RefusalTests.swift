import CarillonHTTP
import Testing

/// What two servers on a way may read differently is refused, and nothing after it is read as a request.
@Suite struct RefusalTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let request: String
    var testDescription: String { name }
    init(_ name: String, _ request: String) { (self.name, self.request) = (name, request) }
  }

  /// Well-formed, and answered if it were ever taken for a request.
  private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

  static let ours: [Row] =
    [
      Row("no host", "GET / HTTP/1.1\r\n\r\n"),
      Row("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
      Row("one host twice", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
      Row(
        "two credentials",
        "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n"),
      Row("two content types", "GET / HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Type: a/b\r\n\r\n"),
      Row("two hosts in 1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
      Row("empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
      Row("two words for a host", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
      Row("path in the host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
      Row("user in the host", "GET / HTTP/1.1\r\nHost: b@a\r\n\r\n"),
      Row("space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
      Row("tab before the colon", "GET / HTTP/1.1\r\nHost: a\r\nX\t: a\r\n\r\n"),
      Row("empty name", "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n"),
      Row("name with a bracket", "GET / HTTP/1.1\r\nHost: a\r\nX(y): x\r\n\r\n"),
      Row("folded by a space", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"),
      Row("folded by a tab", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb\r\n\r\n"),
      Row("folded to nothing", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n \r\n\r\n"),
      Row("first line folded", "GET / HTTP/1.1\r\n X: a\r\nHost: a\r\n\r\n"),
      Row("length folded", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n 2\r\n\r\n"),
      Row("coding folded", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"),
      Row("bare LF everywhere", "GET / HTTP/1.1\nHost: a\n\n"),
      Row("bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
      Row("bare LF after a field", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"),
      Row("bare LF at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
      Row("bare CR in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\rY: b\r\n\r\n"),
      Row("NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"),
      Row("NUL after a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0\r\n\r\n"),
      Row("NUL in a length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\05\r\n\r\n"),
      Row("control character in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{1}b\r\n\r\n"),
      Row("DEL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7f}b\r\n\r\n"),
      Row("NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("NUL in the method", "G\0T / HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("two spaces before the target", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("two spaces after the target", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("raw UTF-8 in the target", "GET /é HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("fragment in the target", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("target without a slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("target of CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("target of another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("target without an authority", "GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("method with a bracket", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("version 1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n"),
      Row("two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 36\r\n\r\n"),
      Row(
        "two lengths, one way of writing",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 36\r\ncontent-length: 0\r\n\r\n"),
      Row("one length twice", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n"),
      Row("length beyond Int", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775808\r\n\r\n"),
      Row(
        "length and coding",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      Row(
        "coding and length",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
      Row(
        "two codings",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"
      ),
      Row(
        "space before the colon of a coding",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
      Row(
        "a control character before a coding",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{b}chunked\r\n\r\n0\r\n\r\n"),
      Row(
        "a coding in the line of another field",
        "POST / HTTP/1.1\r\nHost: a\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      Row("coding in 1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ]
    + [
      "gzip", "gzip, chunked", "chunked, chunked", "xchunked", "chunkedx", "chunked ", "\"chunked\"",
      "identity", "", "chunked, identity", "identity, chunked", "chunked;q=1", "\tchunked\t", "chunked,",
      ",chunked",
    ].map {
      Row("coding \($0)", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \($0)\r\n\r\n0\r\n\r\n")
    }

  @Test(arguments: ours)
  func `an ambiguous request is refused and the connection closed`(_ row: Row) async throws {
    try await withServer { port, worker in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send(row.request + Self.smuggled)
        let answer = try client.answer()
        #expect(answer.status == 400)
        #expect(answer.header("connection") == ["close"])
        #expect(!answer.body.isEmpty)
        #expect(try client.remainder() == "")
      }
      #expect(await worker.requests.isEmpty)
    }
  }

  /// What libmicrohttpd refuses by itself, in its own words or none.
  static let theirs: [Row] =
    [
      Row("no version", "GET /\r\nHost: a\r\n\r\n"),
      Row("version 0.9", "GET /\r\n\r\n"),
      Row("version in small letters", "GET / http/1.1\r\nHost: a\r\n\r\n"),
      Row("version 2", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
      Row("preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      Row("space after the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
      Row("NUL in the version", "GET / HTTP/1.1\0\r\nHost: a\r\n\r\n"),
      Row("tabs in the request line", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("space before the method", " GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
      Row("no colon", "GET / HTTP/1.1\r\nHost: a\r\nXyz\r\n\r\n"),
      Row("NUL in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\0Y: a\r\n\r\n"),
      Row("TLS", "\u{16}\u{3}\u{1}\0\u{1}\r\n\r\n"),
      Row("fields without end", "GET / HTTP/1.1\r\n\(String(repeating: "X: y\r\n", count: 5_000))\r\n"),
      Row("target without end", "GET /\(String(repeating: "x", count: 40_000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
    ]

  @Test(arguments: theirs)
  func `a broken request never reaches the handler, nor does what follows it`(_ row: Row) async throws {
    try await withServer { port, worker in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send(row.request + Self.smuggled)
        let rest = try client.remainder()
        let statuses = ["400", "414", "431", "505"]
        #expect(rest.isEmpty || statuses.contains { rest.hasPrefix("HTTP/1.1 \($0) ") }, "\(rest)")
        #expect(Self.heads(in: rest) <= 1, "\(rest)")
      }
      #expect(await worker.requests.isEmpty)
    }
  }

  /// Heads of answers, wherever they stand.
  private static func heads(in text: String) -> Int { text.matches(of: #/HTTP\/1\./#).count }

  /// What stands behind `Transfer-Encoding: chunked`, well-formed or not.
  static let chunks: [Row] =
    [
      Row("well-formed", "3\r\nabc\r\n0\r\n\r\n"),
      Row("a chunk longer than its size", "3\r\nabcd\r\n0\r\n\r\n"),
      Row("bare LF behind the size", "2\n{}\r\n0\r\n\r\n"),
      Row("bare LF behind an extension", "2;x\n{}\r\n0\r\n\r\n"),
      Row("bare LF behind the data", "2\r\n{}\n0\r\n\r\n"),
      Row("bare LF everywhere", "2\n{}\n0\n\n"),
      Row("bare LF at the end", "2\r\n{}\r\n0\r\n\n"),
      Row("bare CR behind the size", "2\r{}\r\n0\r\n\r\n"),
      Row("a line in an extension", "2;a=\"\r\n\"\r\n{}\r\n0\r\n\r\n"),
      Row("no CR LF behind the last chunk", "3\r\nabc\r\n0\r\n"),
      Row("no CR LF behind the data", "3\r\nabc0\r\n\r\n"),
      Row("trailers", "3\r\nabc\r\n0\r\nContent-Length: 9\r\nHost: b\r\n\r\n"),
      Row("nothing", ""),
    ]
    + [
      "0x3", "+3", "-1", "g", "", "3 ", " 3", "\t3", "3\t", "3;", "3;a", "3;a=b", "3 ;a", "00000000000000003",
      "FFFFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF", "80000000", "3\u{0}", "٣", "3, 3",
    ].map { Row("size \($0)", "\($0)\r\nabc\r\n0\r\n\r\n") }

  @Test(arguments: chunks)
  func `no chunk is read, so none can be misread`(_ row: Row) async throws {
    try await withServer { port, worker in
      try await onThread {
        for coding in ["chunked", "CHUNKED"] {
          let client = try RawClient(port: port)
          let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(coding)\r\n\r\n"
          try client.send(head + row.request + Self.smuggled)
          let answer = try client.answer()
          #expect(answer.status == 411)
          #expect(answer.header("connection") == ["close"])
          #expect(try client.remainder() == "")
        }
      }
      #expect(await worker.requests.isEmpty)
    }
  }

  /// libmicrohttpd refuses these before it tells of them, with an answer of two heads.
  static let lengths = [
    "+3", "+0", "-3", "-0", "3,3", "3, 3", "0x3", "3 3", "", "3 ", "3\t", "3;", "3.0", "1e1", "x", "\"3\"",
    "٣",
    "18446744073709551616", "99999999999999999999", "3\u{b}", "0\u{0}5",
  ]

  @Test(arguments: lengths)
  func `a length that is no number has one answer`(_ length: String) async throws {
    try await withServer { port, worker in
      try await onThread {
        let request = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\nX-Last: z\r\n\r\n"
        for isInPieces in [false, true] {
          let client = try RawClient(port: port)
          // The second request of a connection, too.
          try client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.answer().text == "GET /first -\n\n")
          if isInPieces {
            for byte in request.utf8 { try client.send([byte]) }
          } else {
            try client.send(request + "abc" + Self.smuggled)
          }
          let answer = try client.answer()
          #expect(answer.status == 400)
          #expect(answer.header("connection") == ["close"])
          #expect(answer.header("date").count == 1)
          #expect(!answer.text.contains("html") && !answer.text.isEmpty, "\(answer.text)")
          #expect(try client.remainder() == "")
        }
      }
      #expect(await worker.requests.map(\.path) == ["/first", "/first"])
    }
  }

  @Test func `another client, who is in the middle of its fields, is not answered for it`() async throws {
    try await withServer { port, _ in
      try await onThread {
        let other = try RawClient(port: port)
        try other.send("POST /other HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n")
        let idle = try RawClient(port: port)
        let client = try RawClient(port: port)
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\n")
        #expect(try client.answer().status == 400)
        #expect(try client.remainder() == "")
        try other.send("\r\nabc")
        #expect(try other.answer().text == "POST /other -\n\nabc")
        try idle.send("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try idle.answer().text == "GET /idle -\n\n")
      }
    }
  }

  @Test func `the end of a connection is noticed wherever it comes`() async throws {
    let request = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8)
    try await withServer { port, _ in
      try await onThread { () throws in
        // The last bytes and the end in one go.
        let clients = try (0..<request.count).map { length in
          let client = try RawClient(port: port)
          try client.send(Array(request.prefix(length)))
          client.finishSending()
          return client
        }
        for client in clients { #expect(try client.remainder() == "") }
      }
    }
  }

  @Test func `random bytes do no harm`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    try await withServer { port, _ in
      try await onThread {
        var state = seed | 1
        func next() -> UInt64 {
          state ^= state << 13
          state ^= state >> 7
          state ^= state << 17
          return state
        }
        let valid = Array("POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nX: y\r\n\r\nabc".utf8)
        var clients: [RawClient] = []
        for _ in 0..<500 {
          var bytes = valid
          for _ in 0..<(1 + next() % 4) {
            bytes[Int(next() % UInt64(bytes.count))] = [0, 9, 10, 13, 32, 58, 255, 48][Int(next() % 8)]
          }
          let client = try RawClient(port: port)
          try client.send(bytes)
          client.finishSending()
          clients.append(client)
        }
        for client in clients { _ = try? client.remainder() }
        let client = try RawClient(port: port)
        try client.send("GET /alive HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().text == "GET /alive -\n\n", "seed \(seed)")
      }
    }
  }
}
