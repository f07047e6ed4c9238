import CarillonHTTP
import TestSupport
import Testing

@Suite struct AddressTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
    ("::1", "::1"), ("::", "::"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
    ("::ffff:c000:201", "192.0.2.1"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
  ])
  func `an address has one form`(_ text: String, _ form: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == form)
    #expect(IPAddress(form) == address)
    #expect(address.isIPv4 == form.contains("."))
  }

  @Test(arguments: [
    "", " ", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.04", "0x7f.0.0.1", "2130706433", "1.2.3.4 ",
    " 1.2.3.4",
    "1.2.3.4\0", "1.2.3.4/32", "::1%lo", "[::1]", ":::", "1::2::3", "12345::", "::g", "1:2:3:4:5:6:7:8:9",
    "localhost",
    "::ffff:1.2.3.4.5", "١.2.3.4",
  ])
  func `what is no address is none`(_ text: String) { #expect(IPAddress(text) == nil) }

  @Test(arguments: [
    (
      "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
      ["9.255.255.255", "11.0.0.0", "::10.0.0.1"]
    ),
    ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8", "::c000:207"]),
    ("0.0.0.0/0", ["1.2.3.4"], ["::1", "2001:db8::1"]),
    ("::/0", ["1.2.3.4", "::1"], []),
    (
      "2001:db8::/32", ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
      ["2001:db9::", "2001:db7:ffff::"]
    ),
    ("::1/128", ["::1"], ["::2", "0.0.0.1"]), ("fe80::/10", ["fe80::1", "febf::1"], ["fec0::1"]),
  ])
  func `a range holds what begins alike`(_ text: String, _ inside: [String], _ outside: [String]) throws {
    let range = try #require(AddressRange(text))
    for address in inside { #expect(range.contains(try #require(IPAddress(address))), "\(address)") }
    for address in outside { #expect(!range.contains(try #require(IPAddress(address))), "\(address)") }
    #expect(AddressRange(range.description) == range)
  }

  @Test(arguments: [
    "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.1/8",
    "::/129",
    "2001:db8::1/32", "10.0.0.0/99999999999999999999", "10/8", "10.0.0.0 /8",
  ])
  func `what is no range is none`(_ text: String) { #expect(AddressRange(text) == nil) }

  @Test func `the server sees the address of the other end`() async throws {
    try await withServer { port, worker in
      try await onThread {
        let client = try RawClient(port: port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer().status == 200)
      }
      #expect(await worker.requests.first?.peer == IPAddress("127.0.0.1"))
    }
  }

  @Test func `an IPv6 client is seen as one`() async throws {
    var configuration = HTTPServer.Configuration.patient
    configuration.address = "::1"
    try await withServer(configuration) { port, worker in
      let text = try await withTemporaryFolder { folder in
        try await runProgram("curl", ["--silent", "--show-error", "http://[::1]:\(port)/"], in: folder).output
      }
      #expect(text.contains("GET / -"), "\(text)")
      #expect(await worker.requests.first?.peer == IPAddress("::1"))
    }
  }
}
