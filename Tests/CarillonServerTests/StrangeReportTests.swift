import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// Reports that say what cannot be, or what is no business of ours.
@Suite struct StrangeReportTests {
  private static func sync(_ members: String) -> String {
    "{\"device\":{\"timeZone\":\"Europe/Istanbul\"},\"authorizationStatus\":\"provisional\"\(members)}"
  }

  /// Nothing newer could ever follow it.
  @Test(arguments: ["9007199254740992", "9223372036854775807", "-1"])
  func aSequenceThatNothingCanFollowIsRefused(_ sequence: String) async throws {
    try await withTruthfulDevices { _, client in
      let path = Reports.path(Reports.newDevice())
      let answer = try await client.send("POST", path, body: Self.sync(",\"sequence\":\(sequence)"))
      #expect(answer.status == 400 || answer.status == 422, "\(answer)")
      #expect(answer.json["errors"]?.array?.first?["pointer"] == "/sequence", "\(answer)")
      let last = try await client.send("POST", path, body: Self.sync(",\"sequence\":9007199254740991"))
      #expect(last.status == 200, "\(last)")
    }
  }

  /// What no notification of ours can be called is somebody else's.
  @Test func idsThatCannotBeOursAreStrangers() async throws {
    try await withTruthfulDevices { server, client in
      let path = Reports.path(Reports.newDevice())
      let members = #","sequence":1,"pending":[{"id":""},{"id":"a\u0000b"}],"delivered":["","a\u0000b"]"#
      let answer = try await client.send("POST", path, body: Self.sync(members))
      #expect(answer.status == 200 && answer.json["slots"]?["foreign"]?.int == 2, "\(answer)")
      #expect(try await server.database.column("SELECT count(*)::text FROM carillon.deliveries") == ["0"])
    }
  }

  /// A tap on what we never sent says nothing of how ours are received.
  @Test func aTapOnAStrangeNotificationIsNoEvidence() async throws {
    try await withTruthfulDevices { server, client in
      let id = Reports.newDevice()
      func send(_ sequence: Int, _ members: String) async throws {
        let answer = try await client.send(
          "POST", Reports.path(id), body: Self.sync(",\"sequence\":\(sequence)\(members)"))
        #expect(answer.status == 200, "\(answer)")
      }
      func tap(_ event: String, _ notification: String) -> String {
        ",\"events\":[{\"id\":\"\(event)\",\"kind\":\"tapped\",\"notification\":\"\(notification)\",\"at\":\"\(server.clock.now)\"}]"
      }
      func reason() async throws -> String? {
        let body = "{\"action\":\"reminder.created\"}"
        return try await client.send("POST", Reports.path(id, "/priming"), body: body).json["reason"]?.string
      }
      try await send(1, ",\"put\":[\(TruthfulDevice.put("ours", at: 60))]")
      try await send(2, tap("e1", "stranger"))
      #expect(try await reason() == "noTapYet")
      server.clock.advance(seconds: 120)
      try await send(3, tap("e2", "ours"))
      #expect(try await reason() == "tapped")
    }
  }

  /// Nor is one on what is still to come by both clocks, on what was over when it was put, or on a place that the device
  /// does not watch yet; one on a place it was told to watch is.
  @Test func aTapIsEvidenceOnlyOfWhatWasThere() async throws {
    try await withTruthfulDevices { server, client in
      func place(_ id: String) -> String {
        """
        {"id":"\(id)","content":{"title":"Hello"},"trigger":{"kind":"location","latitude":41.0,"longitude":29.0,
         "radius":100,"onEntry":true,"onExit":false,"repeats":true}}
        """
      }
      var device = TruthfulDevice(client)
      device.status = "provisional"
      func taps() async throws -> Int {
        let body = "{\"action\":\"reminder.created\"}"
        let path = Reports.path(device.id, "/priming")
        return try await client.send("POST", path, body: body).json["evidence"]?["taps"]?.int ?? 0
      }
      try await device.sync(put: [
        TruthfulDevice.put("later", at: 600), TruthfulDevice.put("past", at: -600), place("home"),
      ])
      try await device.sync(
        events: ["later", "past"].map { device.event("tapped", $0, at: server.clock.now) })
      try await device.sync(
        put: [place("work")], events: [device.event("tapped", "work", at: server.clock.now)])
      #expect(try await taps() == 0)
      try await device.sync(events: [device.event("tapped", "home", at: server.clock.now)])
      #expect(try await taps() == 1)
      server.clock.advance(seconds: 600)
      device.mirror.drop("later")
      try await device.sync(events: [device.event("tapped", "later", at: server.clock.now)])
      #expect(try await taps() == 2)
    }
  }

  /// Never UTC in silence.
  @Test func whoHasNotSaidWhereItIsIsTold() async throws {
    try await withTruthfulDevices { (_: TestServer, client: HTTPTestClient) async throws -> Void in
      let path = Reports.path(Reports.newDevice())
      func sync(_ sequence: Int, _ members: String) async throws -> [String?] {
        let body = "{\"sequence\":\(sequence),\"authorizationStatus\":\"authorized\"\(members)}"
        let answer = try await client.send("POST", path, body: body)
        #expect(answer.status == 200, "\(answer)")
        return answer.json["rejected"]?.array?.map { $0["pointer"]?.string } ?? []
      }
      #expect(try await sync(1, ",\"put\":[\(TruthfulDevice.put("a", at: 60))]") == [])
      let local =
        "{\"id\":\"w\",\"content\":{\"title\":\"T\"},\"trigger\":{\"kind\":\"local\",\"at\":\"2026-12-01T08:00\"}}"
      for sequence in 2...3 {
        #expect(try await sync(sequence, ",\"put\":[\(local)]") == ["/device/timeZone"])
      }
      #expect(try await sync(4, ",\"device\":{\"timeZone\":\"Asia/Tokyo\"}") == [])
    }
  }
}
