import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// Which of an installation's reports counts. Field cases 20 and 24.
@Suite struct ReportOrderTests {
  typealias Phone = IdentityTests.Phone

  @Test("20 twenty first reports at once make one device; each is answered", arguments: [1, 2])
  func firstReports(_ loops: Int) async throws {
    try await TestServer.with(loops: loops) { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let stale = try await withThrowingTaskGroup(of: Bool.self) { group in
        for sequence in 1...20 {
          let phone = Phone(client: client, device: device, key: "k1", token: "01", sequence: sequence)
          group.addTask {
            let answer = try await client.send("POST", Reports.path(device), body: phone.report + "}")
            try #require(answer.status == 200, "\(answer)")
            #expect(answer.json["deviceId"] == nil)
            return answer.json["stale"]?.bool ?? false
          }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(stale < 20)
      #expect(try await server.database.column("SELECT count(*)::text FROM carillon.devices") == ["1"])
      #expect(
        try await server.database.column("SELECT sequence::text FROM carillon.device_syncs") == ["20"])
      #expect(try await server.owners(of: "01") == [device])
    }
  }

  @Test("20 an older report changes nothing, and the newest once") func older() async throws {
    try await IdentityTests.with { server, phone in
      var one = phone("k1", nil)
      (one.sequence, one.status) = (41, "authorized")
      try await one.sync()
      (one.sequence, one.status) = (40, "notDetermined")
      #expect(try await one.sync()["stale"]?.bool == true)
      one.status = "authorized"
      #expect(try await one.sync()["stale"]?.bool == true)
      #expect(try await one.shown()["authorizationStatus"]?.string == "authorized")
      #expect(try await one.shown()["sequence"]?.int == 42)
      let changes = "SELECT sequence::text FROM carillon.device_changes"
      #expect(try await server.database.column(changes) == ["42"])
    }
  }

  @Test("24 no clock of a device wins or loses", arguments: [-3_618, 0, 10 * 365 * 86_400])
  func clocks(_ seconds: Int64) async throws {
    try await IdentityTests.with { server, phone in
      var one = phone("k1", nil)
      try await one.put("n")
      try await one.sync()
      server.clock.advance(seconds: 42)
      // The tenant cancels; the device, which does not know, tells its own state and puts it again.
      let gone = try await one.client.send("DELETE", Reports.path(one.device, "/notifications/n"))
      #expect(gone.status == 204)
      let sentAt = server.clock.now.adding(seconds: seconds)
      one.status = "provisional"
      let answer = try await one.sync(
        ",\"sentAt\":\"\(sentAt)\",\"put\":[\(Reports.notification("n", inHours: 2))]")
      #expect(answer["stale"] == nil && answer["rejected"]?.array?.isEmpty == true)
      #expect(try await one.held() == ["n"])
      #expect(try await one.shown()["authorizationStatus"]?.string == "provisional")
      #expect(try await one.shown()["updatedAt"]?.string == server.clock.now.description)
    }
  }
}
