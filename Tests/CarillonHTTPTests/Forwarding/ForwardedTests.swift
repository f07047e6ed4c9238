import CarillonHTTP
import Testing

@Suite struct ForwardedTests {
  private static func hops(_ names: [String]) -> [ForwardedChain.Hop] {
    names.map { IPAddress($0).map { .address($0) } ?? .unnamed }
  }

  /// The examples of RFC 7239, sections 4, 6 and 7, and the corners of its grammar.
  @Test(arguments: [
    ([#"for="_gazonk""#], ["-"]),
    ([#"For="[2001:db8:cafe::17]:4711""#], ["2001:db8:cafe::17"]),
    (["for=192.0.2.60;proto=http;by=203.0.113.43"], ["192.0.2.60"]),
    (["for=192.0.2.43, for=198.51.100.17"], ["192.0.2.43", "198.51.100.17"]),
    ([#"for=_hidden, for=_SEVKISEK"#], ["-", "-"]),
    ([#"for=192.0.2.43,for="[2001:db8:cafe::17]",for=unknown"#], ["192.0.2.43", "2001:db8:cafe::17", "-"]),
    ([#"for=192.0.2.43, for="[2001:db8:cafe::17]""#], ["192.0.2.43", "2001:db8:cafe::17"]),
    (
      ["for=192.0.2.43", #"for="[2001:db8:cafe::17]", for=unknown"#],
      ["192.0.2.43", "2001:db8:cafe::17", "-"]
    ),
    ([#"for="192.0.2.43:47011""#], ["192.0.2.43"]), ([#"for="192.0.2.43:_port""#], ["192.0.2.43"]),
    ([#"for="[2001:db8::1]:_p""#], ["2001:db8::1"]), ([#"for="unknown:80""#], ["-"]),
    (["by=203.0.113.43"], ["-"]), (["proto=https"], ["-"]), ([#"for="\1\92.0.2.1""#], ["192.0.2.1"]),
    ([";for=192.0.2.1;"], ["192.0.2.1"]), (["for=192.0.2.1 ; proto=https"], ["192.0.2.1"]),
    ([#"by="a, for=1.2.3.4";for=192.0.2.1"#], ["192.0.2.1"]),
    ([#"host="a\"b";for=192.0.2.1"#], ["192.0.2.1"]),
    ([""], []), ([",, ,"], []), (["for=192.0.2.1,"], ["192.0.2.1"]), ([], []),
  ])
  func `what RFC 7239 allows is read`(_ fields: [String], _ names: [String]) throws {
    #expect(try ForwardedChain(forwarded: fields).hops == Self.hops(names))
  }

  @Test(arguments: [
    "192.0.2.1", "for", "for=", "for =192.0.2.1", "for= 192.0.2.1", "=192.0.2.1", "for=192.0.2.1:80",
    "for=[2001:db8::1]", #"for="2001:db8::1""#, #"for="[192.0.2.1]""#, #"for="[2001:db8::1""#,
    #"for="192.0.2.1"#,
    #"for="192.0.2.1\"#, #"for=192.0.2.1""#, #"for="192.0.2.1"x"#, #"for="a" "b""#,
    "for=192.0.2.1;for=192.0.2.2",
    "for=192.0.2.1;FOR=192.0.2.2", "for=192.0.2.1 proto=http", "for=example.org", "for=1.2.3", "for=_",
    #"for="192.0.2.1:""#, #"for="192.0.2.1:123456""#, #"for="192.0.2.1:8o""#, #"for="[::1]x""#,
    "for=192.0.2.1;;=",
    "for=\u{1}", #"for="192.0.2.1" "proto""#, #"for="""#, #"for="fe80::1%eth0""#, "for=192.0.2.1\tby=x",
  ])
  func `anything else is refused as a whole`(_ field: String) {
    #expect(throws: ForwardedError.self) { try ForwardedChain(forwarded: [field]) }
    // Nor does what a proxy adds behind make it good.
    #expect(throws: ForwardedError.self) { try ForwardedChain(forwarded: [field, "for=192.0.2.9"]) }
  }

  @Test(arguments: [
    (["192.0.2.1"], ["192.0.2.1"]), (["192.0.2.1, 10.0.0.1"], ["192.0.2.1", "10.0.0.1"]),
    (["192.0.2.1:4711,2001:db8::1"], ["192.0.2.1", "2001:db8::1"]),
    (["[2001:db8::1]:4711, [2001:db8::2]"], ["2001:db8::1", "2001:db8::2"]),
    (["unknown, 192.0.2.1"], ["-", "192.0.2.1"]), (["192.0.2.1", "10.0.0.1"], ["192.0.2.1", "10.0.0.1"]),
    ([" , "], []),
  ])
  func `X-Forwarded-For is read as proxies write it`(_ fields: [String], _ names: [String]) throws {
    #expect(try ForwardedChain(xForwardedFor: fields).hops == Self.hops(names))
  }

  @Test(arguments: [
    "localhost", "192.0.2.1 10.0.0.1", "192.0.2.1;10.0.0.1", "for=192.0.2.1", "[192.0.2.1]:80", "192.0.2.1:",
    "1.2.3",
    "\"192.0.2.1\"", "2001:db8::1:99999", "192.0.2.1:x",
  ])
  func `other words in X-Forwarded-For are refused`(_ field: String) {
    // What looks like an IPv6 address with a port is one without.
    if IPAddress(field) != nil { return }
    #expect(throws: ForwardedError.self) { try ForwardedChain(xForwardedFor: [field]) }
  }

  @Test func `both have limits`() throws {
    let many = Array(repeating: "for=192.0.2.1", count: ForwardedChain.hopLimit)
    #expect(try ForwardedChain(forwarded: many).hops.count == ForwardedChain.hopLimit)
    #expect(throws: ForwardedError.self) { try ForwardedChain(forwarded: many + ["for=192.0.2.1"]) }
    #expect(throws: ForwardedError.self) {
      try ForwardedChain(xForwardedFor: Array(repeating: "192.0.2.1", count: ForwardedChain.hopLimit + 1))
    }
    let filler = "for=192.0.2.1;host="
    let longest = filler + String(repeating: "x", count: ForwardedChain.byteLimit - filler.utf8.count)
    #expect(try ForwardedChain(forwarded: [longest]).hops.count == 1)
    #expect(throws: ForwardedError.self) { try ForwardedChain(forwarded: [longest + "x"]) }
  }
}

@Suite struct TrustedProxiesTests {
  private static func proxies(_ field: TrustedProxies.Field = .forwarded) -> TrustedProxies {
    var proxies = TrustedProxies()
    proxies.ranges = ["10.0.0.0/8", "2001:db8:aaaa::/48"].map { AddressRange($0)! }
    proxies.field = field
    return proxies
  }

  struct Row: CustomTestStringConvertible {
    var testDescription: String
    var peer = "10.0.0.1"
    var forwarded: [String] = []
    var client: String
  }

  @Test(arguments: [
    Row(testDescription: "no field", client: "10.0.0.1"),
    Row(testDescription: "one proxy", forwarded: ["for=192.0.2.1"], client: "192.0.2.1"),
    Row(
      testDescription: "a client that claims to be another", forwarded: ["for=198.51.100.1, for=192.0.2.1"],
      client: "192.0.2.1"),
    Row(
      testDescription: "the same in two fields", forwarded: ["for=198.51.100.1", "for=192.0.2.1"],
      client: "192.0.2.1"),
    Row(
      testDescription: "a client that claims to be a proxy", forwarded: ["for=10.0.0.9, for=192.0.2.1"],
      client: "192.0.2.1"),
    Row(testDescription: "two proxies", forwarded: ["for=192.0.2.1, for=10.0.0.2"], client: "192.0.2.1"),
    Row(
      testDescription: "two proxies, a claim before", forwarded: ["for=9.9.9.9, for=192.0.2.1, for=10.0.0.2"],
      client: "192.0.2.1"),
    Row(testDescription: "proxies only", forwarded: ["for=10.0.0.3, for=10.0.0.2"], client: "10.0.0.3"),
    Row(
      testDescription: "the client is hidden", forwarded: ["for=_secret, for=10.0.0.2"], client: "10.0.0.2"),
    Row(
      testDescription: "what came before the hidden one is a claim", forwarded: ["for=9.9.9.9, for=unknown"],
      client: "10.0.0.1"),
    Row(
      testDescription: "IPv6", peer: "2001:db8:aaaa::1", forwarded: [#"for="[2001:db8::7]:1234""#],
      client: "2001:db8::7"),
    Row(
      testDescription: "a mapped proxy", peer: "::ffff:10.0.0.1", forwarded: ["for=192.0.2.1"],
      client: "192.0.2.1"),
    Row(
      testDescription: "a stranger's field", peer: "192.0.2.50", forwarded: ["for=198.51.100.1"],
      client: "192.0.2.50"),
    Row(
      testDescription: "a stranger's nonsense", peer: "192.0.2.50", forwarded: [#"for=""#],
      client: "192.0.2.50"),
  ])
  func `the client is the last hop that is not ours`(_ row: Row) throws {
    let headers = HTTPHeaders(row.forwarded.map { ("forwarded", $0) } + [("X-Forwarded-For", "8.8.8.8")])
    let client = try Self.proxies().client(peer: try #require(IPAddress(row.peer)), headers: headers)
    #expect(client.description == row.client)
  }

  @Test func `only the field that is named counts`() throws {
    let headers = HTTPHeaders([("Forwarded", "for=198.51.100.1"), ("X-Forwarded-For", "9.9.9.9, 192.0.2.1")])
    let peer = try #require(IPAddress("10.0.0.1"))
    #expect(try Self.proxies().client(peer: peer, headers: headers).description == "198.51.100.1")
    #expect(try Self.proxies(.xForwardedFor).client(peer: peer, headers: headers).description == "192.0.2.1")
  }

  @Test func `without proxies nobody is believed`() throws {
    let headers = HTTPHeaders([("Forwarded", "for=198.51.100.1")])
    for peer in ["127.0.0.1", "::1", "10.0.0.1"] {
      #expect(
        try TrustedProxies().client(peer: #require(IPAddress(peer)), headers: headers).description == peer)
    }
  }

  @Test func `what a proxy passes on and cannot be read is refused`() throws {
    let headers = HTTPHeaders([("Forwarded", #"for="198.51.100.1"#), ("Forwarded", "for=192.0.2.1")])
    #expect(throws: ForwardedError.self) {
      try Self.proxies().client(peer: #require(IPAddress("10.0.0.1")), headers: headers)
    }
  }
}
