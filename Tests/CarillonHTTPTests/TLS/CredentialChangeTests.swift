import CarillonHTTP
import TestSupport
import Testing

/// A new certificate under a running server.
@Suite struct CredentialChangeTests {
  @Test func `new connections see the new one, open ones go on, the last of them frees the old`() async throws
  {
    try await withTLSServer { port, worker, maker in
      weak var old: TLSCredential?
      let client = try await onThread { Confined(try TLSClient(port: port, authority: maker)) }
      do {
        let first = try await onThread { try TLSCredential(maker.issue("first")) }
        await worker.use(first)
        old = first
      }
      let open = try await onThread {
        let open = Confined(try TLSClient(port: port, authority: maker))
        try open.value.raw.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try open.value.raw.answer().text == "GET /1 -\n\n")
        #expect(try handshake(port, maker).output.contains("subject=CN = first"))
        return open
      }
      await worker.use(try await onThread { try TLSCredential(maker.issue("second")) })
      try await onThread {
        #expect(try handshake(port, maker).output.contains("subject=CN = second"))
        for number in 2...3 {
          try open.value.raw.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try open.value.raw.answer().text == "GET /\(number) -\n\n")
        }
        try client.value.raw.send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.value.raw.answer().text == "GET /0 -\n\n")
      }
      #expect(old != nil)
      open.value.kill()
      while old != nil { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  /// A handshake that began before the change ends with what it began with.
  @Test func `a change in the middle of handshakes drops none`() async throws {
    try await withTLSServer { port, worker, maker in
      let credentials = try await onThread {
        try (0..<2).map { try TLSCredential(maker.issue("server\($0)")) }
      }
      let clients = Task { try await onThread { try python(manyHandshakes, port, maker) } }
      while await worker.requests.count < 5 { try await Task.sleep(for: .milliseconds(1)) }
      var changes = 0
      while await worker.requests.count < 300 {
        await worker.use(credentials[changes % 2])
        changes += 1
        await Task.yield()
      }
      let text = try await clients.value
      #expect(text.contains("300 answers"), "\(text)")
      #expect(changes > 1)
    }
  }
}

private let manyHandshakes = """
  import socket, ssl, sys, threading
  context = ssl.create_default_context(cafile=sys.argv[2])
  answers = []
  def run():
      for _ in range(75):
          plain = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
          with context.wrap_socket(plain, server_hostname="localhost") as secure:
              secure.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
              answers.append(secure.recv(1000).startswith(b"HTTP/1.1 200"))
  threads = [threading.Thread(target=run) for _ in range(4)]
  for thread in threads: thread.start()
  for thread in threads: thread.join()
  print("%d answers" % answers.count(True))
  """
