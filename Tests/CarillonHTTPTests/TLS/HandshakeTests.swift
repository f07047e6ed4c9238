import CarillonHTTP
import Foundation
import Glibc
import TestSupport
import Testing

/// Which clients get in: asked of clients that others wrote.
@Suite struct HandshakeTests {
  @Test(arguments: ["1.2", "1.3"])
  func `curl gets its answer, in HTTP 1.1 by ALPN`(_ version: String) async throws {
    try await withTLSServer { port, _, maker in
      let (status, text) = try await onThread {
        try curl(port, maker, ["--tlsv\(version)", "--tls-max", version, "--verbose"])
      }
      #expect(status == 0 && text.contains("GET /hello -"), "\(text)")
      #expect(text.contains("ALPN: server accepted http/1.1"), "\(text)")
      #expect(text.contains("TLSv\(version)"), "\(text)")
    }
  }

  @Test func `an RSA certificate serves as well`() async throws {
    try await withTLSServer { port, worker, maker in
      try await worker.use(onThread { try TLSCredential(maker.issue("rsa", bits: 2048)) })
      let (status, text) = try await onThread { try curl(port, maker, ["--tlsv1.2", "--tls-max", "1.2"]) }
      #expect(status == 0 && text.contains("GET /hello -"), "\(text)")
    }
  }

  /// Old versions, old ciphers, other protocols. What the client offers besides is the same as in the test above.
  @Test(arguments: [
    ["-tls1", "-cipher", "ALL@SECLEVEL=0"], ["-tls1_1", "-cipher", "ALL@SECLEVEL=0"],
    ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA"], ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],
    ["-alpn", "h2"], ["-tls1_2", "-alpn", "h2"],
  ])
  func `what is old or something else is refused`(_ options: [String]) async throws {
    try await withTLSServer { port, worker, maker in
      let (status, text) = try await onThread { try handshake(port, maker, options) }
      #expect(status != 0, "\(text)")
      #expect(text.contains("alert") || text.contains("unexpected eof"), "\(text)")
      #expect(await worker.requests.isEmpty)
    }
  }

  @Test func `a second handshake on a connection ends it`() async throws {
    try await withTLSServer { port, worker, maker in
      // s_client takes a line of R for the wish to shake hands again.
      let (_, text) = try await onThread {
        try handshake(port, maker, ["-tls1_2"], input: "R\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
      }
      #expect(text.contains("RENEGOTIATING"), "\(text)")
      #expect(!text.contains("HTTP/1.1 200"), "\(text)")
      #expect(await worker.requests.isEmpty)
    }
  }

  @Test func `plain HTTP on the TLS port gets an end`() async throws {
    try await withTLSServer { port, worker, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try !client.remainder().contains("HTTP/1.1"))
      }
      #expect(await worker.requests.isEmpty)
    }
  }

  @Test func `a client that comes again needs no whole handshake`() async throws {
    try await withTLSServer { port, _, maker in
      let text = try await onThread { try python(comingAgain, port, maker) }
      #expect(text.contains("first False, second True"), "\(text)")
    }
  }

  @Test func `a thousand handshakes that stand still end, and hold up nobody`() async throws {
    var configuration = HTTPServer.Configuration.patient
    configuration.handshakeTimeout = .seconds(1)
    try await withTLSServer(configuration) { port, worker, maker in
      try await onThread {
        // Nothing, the first bytes of a record, and a record that never becomes whole.
        let starts: [[UInt8]] = [[], [0x16, 3, 1], [0x16, 3, 1, 0x01, 0x40, 1, 0, 1, 0x3c, 3, 3]]
        let clients = try (0..<1000).map { index in
          let client = try RawClient(port: port)
          try client.send(starts[index % 3])
          return client
        }
        let (status, text) = try curl(port, maker)
        #expect(status == 0, "\(text)")
        for client in clients { #expect(try client.isEnded()) }
      }
      while await worker.connectionCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
  }

  /// libmicrohttpd by itself would take each of them for ready all the time, and be run in every turn of the loop.
  @Test(arguments: [[], [0x16, 3, 1], [0x16, 3, 1, 0x01, 0x40, 1, 0, 1, 0x3c, 3, 3]] as [[UInt8]])
  func `a handshake that stands still costs nothing`(_ start: [UInt8]) async throws {
    try await withTLSServer { port, worker, maker in
      let client = try await onThread {
        let client = Confined(try RawClient(port: port))
        try client.value.send(start)
        return client
      }
      while await worker.connectionCount < 1 { await worker.turn(times: 1) }
      // Once it has been looked at.
      await worker.turn(times: 10)
      let before = await worker.runCount
      await worker.turn(times: 100)
      #expect(await worker.runCount == before)
      #expect(await worker.connectionCount == 1)
      // It is listened to all the same, and so is everybody else.
      #expect(try await onThread { try curl(port, maker).status } == 0)
      try client.value.send([UInt8](repeating: 0x6e, count: 1000))
      try await onThread { _ = try client.value.remainder() }
      while await worker.connectionCount > 0 { await worker.turn(times: 1) }
    }
  }

  @Test func `a handshake under way does not hold up a drain`() async throws {
    try await withTLSServer { port, worker, _ in
      let clients = try await onThread {
        try (0..<20).map { _ in
          let client = Confined(try RawClient(port: port))
          try client.value.send([0x16, 3, 1])
          return client
        }
      }
      while await worker.connectionCount < 20 { await worker.turn(times: 1) }
      await worker.turn(times: 10)
      await worker.drain(.seconds(600))
      #expect(await worker.connectionCount == 0)
      try await onThread { () throws in for client in clients { #expect(try client.value.isEnded()) } }
    }
  }

  /// A key for a group that the server takes, or the client is asked for another one.
  @Test func `a client of TLS 1,3 needs one round trip`() async throws {
    try await withTLSServer { port, _, maker in
      let (status, text) = try await onThread { try handshake(port, maker, ["-tls1_3", "-msg"]) }
      #expect(status == 0, "\(text)")
      #expect(text.components(separatedBy: "ClientHello").count == 2, "\(text)")
    }
  }

  @Test func `a handshake that dribbles ends as one that stands still`() async throws {
    var configuration = HTTPServer.Configuration.patient
    configuration.handshakeTimeout = .seconds(1)
    try await withTLSServer(configuration) { port, _, _ in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send([0x16, 3, 1, 0x40, 0])
        // Never silent for long; a server that only counts silence would read all of it.
        #expect(throws: RawClient.Failure.self) {
          for _ in 0..<600 {
            try client.send([1])
            usleep(50_000)
          }
        }
      }
    }
  }

  @Test func `a client that has shaken hands may be idle for longer`() async throws {
    var configuration = HTTPServer.Configuration.patient
    configuration.handshakeTimeout = .seconds(1)
    try await withTLSServer(configuration) { port, worker, maker in
      try await onThread {
        let slow = try RawClient(port: port)
        let client = try TLSClient(port: port, authority: maker)
        // When this one has been ended, the other has been looked at more than once.
        #expect(try slow.isEnded())
        try client.raw.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.raw.answer().text == "GET /late -\n\n")
      }
    }
  }
}

/// Asks for `/hello`, and says what became of it.
func curl(_ port: UInt16, _ maker: CertificateMaker, _ options: [String] = []) throws -> (
  status: Int32, output: String
) {
  try runProgram(
    "curl",
    ["--silent", "--show-error", "--max-time", "60", "--cacert", maker.authority.certificate] + options
      + ["https://localhost:\(port)/hello", "--resolve", "localhost:\(port):127.0.0.1"], in: maker.folder)
}

/// Shakes hands and leaves.
func handshake(
  _ port: UInt16, _ maker: CertificateMaker, _ options: [String] = [], input: String = ""
) throws -> (status: Int32, output: String) {
  try runProgram(
    "openssl",
    [
      "s_client", "-verify_return_error", "-CAfile", maker.authority.certificate, "-servername", "localhost",
      "-connect", "127.0.0.1:\(port)",
    ] + options, input: input, in: maker.folder)
}

/// Runs a script that finds the port and the authority's file in its arguments.
func python(_ script: String, _ port: UInt16, _ maker: CertificateMaker) throws -> String {
  try runProgram("python3", ["-c", script, String(port), maker.authority.certificate], in: maker.folder)
    .output
}

private let comingAgain = """
  import socket, ssl, sys
  context = ssl.create_default_context(cafile=sys.argv[2])
  session = None
  reused = []
  for _ in range(2):
      plain = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      with context.wrap_socket(plain, server_hostname="localhost", session=session) as secure:
          secure.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
          secure.recv(1000)
          session = secure.session
          reused.append(secure.session_reused)
  print("first %s, second %s" % tuple(reused))
  """
