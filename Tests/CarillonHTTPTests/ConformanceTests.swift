import CarillonHTTP
import Testing

@Suite struct ConformanceTests {
  @Test func `a request is answered and the connection is kept`() async throws {
    try await withServer { port, _ in
      try await onThread {
        let client = try RawClient(port: port)
        for path in ["/a", "/b", "/c"] {
          try client.send("GET \(path)?x=%20 HTTP/1.1\r\nHost: localhost\r\n\r\n")
          let answer = try client.answer()
          #expect(answer.status == 200)
          #expect(answer.text == "GET \(path) x=%20\n\n")
        }
      }
    }
  }
}
