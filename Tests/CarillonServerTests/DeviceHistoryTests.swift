import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// What a device may do, and how it came to that: the newest report decides, and only what it changes is kept.
@Suite struct DeviceHistoryTests {
  private func changes(_ item: JSONValue) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: (item["changes"]?.array ?? []).map {
        ($0["member"]?.string ?? "", "\($0["from"]?.string ?? "-") > \($0["to"]?.string ?? "-")")
      })
  }

  @Test func onlyWhatAReportChangesIsKept() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      device.settings = ["sound": "enabled", "carPlay": "notSupported", "announcement": "whisper"]
      try await device.sync()
      // The same again, in a report that is not steady.
      try await device.sync(put: [TruthfulDevice.put("x", at: 600)])
      server.clock.advance(seconds: 60)
      device.settings["sound"] = "disabled"
      device.settings["announcement"] = "shout"
      device.more = ",\"sentAt\":\"2036-01-01T00:00:00Z\""
      try await device.sync()
      let history = try await device.history()
      #expect(history.count == 3)
      #expect(history[1]["puts"] == ["x"] && history[1]["changes"] == [] && history[1]["number"]?.int == 2)
      #expect(
        changes(history[0]) == [
          "settings.sound": "enabled > disabled", "settings.announcement": "whisper > shout",
        ])
      #expect(history[0]["sequence"]?.int == 3 && history[0]["number"]?.int == 3)
      // By the server's clock, whatever the device's says.
      #expect(history[0]["at"]?.string == Reports.time(60))
      #expect(history[0]["sentAt"]?.string == "2036-01-01T00:00:00Z")
      #expect(
        changes(history[2]) == [
          "authorizationStatus": "- > authorized", "device.platform": "- > iOS",
          "device.timeZone": "- > Europe/Istanbul", "settings.sound": "- > enabled",
          "settings.carPlay": "- > notSupported", "settings.announcement": "- > whisper",
        ])
      #expect(history[2]["fatigue"] == .null && history[2]["authorizationStatus"] == "authorized")
    }
  }

  @Test func aPushTokenStandsInNoHistory() async throws {
    try await withTruthfulDevices { _, client in
      let device = Reports.newDevice()
      for (sequence, token) in [(1, "00ff"), (2, "0abc"), (3, "0abc")] {
        let body =
          "{\"sequence\":\(sequence),\"device\":{\"push\":{\"token\":\"\(token)\"},\"appVersion\":\"3.\(sequence)\"}}"
        #expect(try await client.send("POST", Reports.path(device), body: body).status == 200)
      }
      let answer = try await client.send("GET", Reports.path(device, "/history"))
      #expect(!answer.text.contains("00ff\"") && !answer.text.contains("0abc\""))
      let items = answer.json["items"]?.array ?? []
      #expect(items.map { changes($0).keys.contains("device.push") } == [false, true, true])
      #expect(items.map { $0["appVersion"]?.string } == ["3.3", "3.2", "3.1"])
    }
  }

  /// Cases 18 and 20: the newest sequence wins, whatever comes last.
  @Test func aStaleReportChangesNothing() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("x", at: 86_400)], sequence: 42)
      let rows = """
        SELECT d::text || coalesce(t::text, '') FROM carillon.devices AS d
        LEFT JOIN carillon.device_truths AS t USING (tenant_id, device_id) ORDER BY 1
        """
      let before = try await server.database.column(rows)
      device.status = "notDetermined"
      device.settings["sound"] = "disabled"
      for number in [41, 42, 1] {
        let answer = try await device.sync(
          events: [device.event("tapped", "x", at: server.clock.now)], sequence: number)
        #expect(answer["stale"]?.bool == true)
      }
      #expect(try await server.database.column(rows) == before)
      #expect(try await device.history().count == 1)
      #expect(try await device.show()["authorizationStatus"] == "authorized")
      #expect(try await server.database.column("SELECT count(*)::text FROM carillon.device_events") == ["0"])
    }
  }

  /// Case 18: denied in Settings, and allowed again, with a late resend in between.
  @Test func whatChangesInSettingsIsFollowed() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      #expect(try await device.sync(put: [TruthfulDevice.put("x", at: 86_400)]).added == ["x"])
      try await device.sync()
      server.clock.advance(seconds: 360)
      device.status = "denied"
      #expect(try await device.sync().removed == ["x"])
      var old = device
      old.status = "authorized"
      #expect(try await old.sync(sequence: 2)["stale"]?.bool == true)
      #expect(try await device.show()["authorizationStatus"] == "denied")
      server.clock.advance(seconds: 840)
      device.status = "authorized"
      #expect(try await device.sync().added == ["x"])
      let statuses = try await device.history().map { $0["authorizationStatus"]?.string }
      #expect(statuses == ["authorized", "denied", "authorized"])
    }
  }

  /// Case 24: a device's clock decides nothing, in either direction.
  @Test(arguments: ["2016-11-30T00:00:00Z", "2036-11-30T00:00:00Z"])
  func aWrongClockIsInformation(_ sentAt: String) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      device.more = ",\"sentAt\":\"\(sentAt)\""
      try await device.sync(put: [TruthfulDevice.put("x", at: 600), TruthfulDevice.put("y", at: 6000)])
      _ = try await client.send("DELETE", Reports.path(device.id, "/notifications/y"))
      // Its own setting, and a put of what the tenant has cancelled meanwhile: both are taken.
      device.settings["sound"] = "disabled"
      try await device.sync(put: [TruthfulDevice.put("y", at: 6000)])
      #expect(device.mirror.held.keys.sorted() == ["x", "y"])
      server.clock.advance(seconds: 700)
      device.mirror.drop("x")
      let tap = device.event("tapped", "x", at: Instant(sentAt)!)
      try await device.sync(events: [tap])
      let row = try #require(try await device.deliveries().first)
      #expect(row["outcome"] == "delivered" && row["tappedAt"]?.string == Reports.time(700))
      let history = try await device.history()
      #expect(history.map { $0["at"]?.string } == [Reports.time(0), Reports.time(0)])
      #expect(changes(history[0]) == ["settings.sound": "enabled > disabled"])
    }
  }

  @Test(
    "24B 24C a setting of its own and a put that the tenant cancelled are taken, each in the history",
    arguments: [0, 10])
  func ownersOfFields(_ yearsAhead: Int64) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      device.more = ",\"sentAt\":\"\(server.clock.now.adding(seconds: yearsAhead * 31_557_600))\""
      try await device.sync(put: [TruthfulDevice.put("y", at: 6000), TruthfulDevice.put("z", at: 6000)])
      _ = try await client.send("DELETE", Reports.path(device.id, "/notifications/y"))
      device.settings["sound"] = "disabled"
      let answer = try await device.sync(put: [TruthfulDevice.put("y", at: 6000)], cancel: ["z"])
      #expect(answer["rejected"] == [] && device.mirror.held.keys.sorted() == ["y"])
      let history = try await device.history()
      #expect(history.map { $0["sequence"]?.int } == [2, 1])
      #expect(changes(history[0]) == ["settings.sound": "enabled > disabled"])
      #expect(history[0]["puts"] == ["y"] && history[0]["cancels"] == ["z"] && history[0]["more"] == 0)
      #expect(history[1]["puts"] == ["y", "z"] && history[1]["cancels"] == [])
      // A steady report brings nothing, and neither does a repetition.
      try await device.sync()
      try await device.sync(put: [TruthfulDevice.put("y", at: 6000)], sequence: 2)
      #expect(try await device.history().count == 2)
    }
  }

  @Test func ofManyEditsTheFirstAreNamed() async throws {
    try await withTruthfulDevices { _, client in
      var device = TruthfulDevice(client)
      let most = DeviceHistory.mostEditedIDs
      try await device.sync(put: (0..<(most + 7)).map { TruthfulDevice.put("n\($0)", at: 6000) })
      let item = try #require(try await device.history().first)
      #expect(item["puts"]?.array?.count == most && item["more"]?.int == 7)
    }
  }

  @Test func aHistoryIsReadPageByPage() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      for step in 0..<5 {
        device.settings["sound"] = step % 2 == 0 ? "enabled" : "disabled"
        try await device.sync(put: [TruthfulDevice.put("n\(step)", at: Int64(step) * 10 - 30)])
        server.clock.advance(seconds: 10)
      }
      for (list, member, expected) in [
        ("history", "number", ["5", "4", "3", "2", "1"]),
        ("deliveries", "notification", ["n4", "n3", "n2", "n1", "n0"]),
      ] {
        var found: [String] = []
        var target: String? = Reports.path(device.id, "/\(list)?limit=2")
        while let path = target {
          let answer = try await client.send("GET", path)
          #expect(answer.status == 200)
          found += (answer.json["items"]?.array ?? []).map {
            $0[member]?.string ?? $0[member]?.int.map(String.init) ?? ""
          }
          target = answer.json["nextCursor"]?.string.map {
            Reports.path(device.id, "/\(list)?limit=2&cursor=\($0)")
          }
        }
        #expect(found == expected, "\(list)")
      }
      let nobody = Reports.path(Reports.newDevice(), "/history")
      #expect(try await client.send("GET", nobody).status == 404)
    }
  }
}
