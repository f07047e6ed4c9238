import CarillonJSON
import IntegrationSupport
import Testing

/// What stands in a row is not what a server has written: an answer tells so, and the process goes on.
@Suite struct HostileRowTests {
  /// What is set of the device's rows.
  static let changes = [
    "device_syncs SET row_version = 9223372036854775807", "device_syncs SET row_version = -1",
    "device_syncs SET plan_version = 2147483647", "device_syncs SET inbox_version = 9223372036854775807",
    "plans SET version = 2147483647", "device_truths SET looked_version = 9223372036854775807",
    "device_truths SET drift_dropped = 9223372036854775807",
    "device_truths SET tallies = '[[\"habit\",1e300,0]]'",
    "device_truths SET delivered = '[[\"a\",9223372036854775807,0]]'",
    "plans SET deliveries = convert_to('{\"made\":[[\"a\",\"habit\",-9223372036854775808]]}', 'UTF8')",
  ]

  @Test(arguments: changes)
  func aCounterAtItsEndIsNotCountedOn(_ change: String) async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      func sync(_ sequence: Int, _ rest: String) async throws -> HTTPTestClient.Response {
        try await client.send(
          "POST", "/v1/devices/\(device)/sync",
          body:
            "{\"sequence\":\(sequence),\"device\":{\"timeZone\":\"UTC\"},\"authorizationStatus\":\"authorized\"\(rest)}"
        )
      }
      let put = ",\"put\":[\(Reports.notification("a", inHours: 1))]"
      try #require(try await sync(1, put).status == 200)
      server.clock.advance(seconds: 7_200)
      try #require(try await sync(2, "").status == 200)
      let rows = try await server.database.column("UPDATE carillon.\(change) RETURNING ''")
      try #require(rows.count == 1)
      let answer = try await sync(3, ",\"put\":[\(Reports.notification("b", inHours: 9))]")
      #expect(answer.status == 500 && answer.text.contains("cannot be read"), "\(answer)")
      #expect(try await client.send("GET", "/v1/policy").status == 200)
    }
  }

  @Test(arguments: ["9223372036854775807", "2147483647", "2147483648"])
  func aVersionThatThereIsNotIsNoReasonToCountOn(_ version: String) async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      try #require(try await client.send("PUT", "/v1/policy", body: "{}").status == 200)
      for key in [nil, "one"] {
        var headers = [("If-Match", "\"\(version)\"")]
        if let key { headers.append(("Idempotency-Key", key)) }
        let answer = try await client.send("PUT", "/v1/policy", headers: headers, body: "{}")
        #expect(answer.status == 412, "\(answer)")
      }
    }
  }
}
