import CarillonHTTP
import Testing

@Suite struct HeadersTests {
  private let headers = HTTPHeaders([
    ("Host", "example.com"), ("Accept", "a"), ("X-Empty", ""), ("aCCept", "b"), ("Ünïcode", "ü"),
  ])

  @Test(arguments: [
    ("host", "example.com"), ("HOST", "example.com"), ("accept", "a"), ("x-empty", ""), ("Hos", nil),
    ("", nil),
    ("hosts", nil), ("Ünïcode", "ü"),
  ])
  func `names compare without case`(_ name: String, _ value: String?) {
    #expect(headers[name] == value)
  }

  @Test func `fields of one name are found in order`() {
    #expect(headers.all("ACCEPT") == ["a", "b"])
    #expect(headers.all("none") == [])
    #expect(headers.count == 5)
    #expect(headers.map(\.name) == ["Host", "Accept", "X-Empty", "aCCept", "Ünïcode"])
  }

  @Test func `only letters compare without case`() {
    #expect(HTTPHeaders([("a@b", "1")])["a`b"] == nil)
    #expect(HTTPHeaders([("a[b", "1")])["a{b"] == nil)
  }
}
