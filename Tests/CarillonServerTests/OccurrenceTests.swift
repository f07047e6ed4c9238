import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// Everything that was to be announced is written down when its time has come, each occurrence once, whatever
/// happened to it.
@Suite struct OccurrenceTests {
  private static let late = ",\"overdue\":\"deliverNow\""

  /// `wishedAt at outcome reason` of each occurrence, oldest first.
  private func rows(_ device: TruthfulDevice) async throws -> [String] {
    try await device.deliveries().reversed().map { row in
      let (wish, at) = (row["wishedAt"]?.string ?? "", row["at"]?.string ?? "")
      return [
        row["notification"]?.string, seconds(wish), wish == at ? nil : seconds(at), row["outcome"]?.string,
        row["reason"]?.string,
      ].compactMap { $0 }.joined(separator: " ")
    }
  }

  private func seconds(_ text: String) -> String {
    Instant(text).map { "\(($0.milliseconds - Reports.start.milliseconds) / 1000)" } ?? text
  }

  @Test func whatWasMovedIsDueWhereItWasMovedTo() async throws {
    let policy = #"{"quietHours":{"windows":[{"from":"22:00","to":"07:30"}]}}"#
    try await withTruthfulDevices(policy: policy) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("a", at: 600)])
      try await device.sync()
      server.clock.advance(seconds: 3_600)
      try await device.sync()
      #expect(try await rows(device) == [])
      server.clock.advance(seconds: 4 * 3_600)
      device.mirror.drop("a")
      for _ in 1...3 {
        try await device.sync()
        #expect(try await rows(device) == ["a 600 13000 inferredDelivered"])
        server.clock.advance(seconds: 90_000)
      }
    }
  }

  @Test func eachFireOfWhatRepeatsIsAnOccurrence() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      let hourly = """
        {"id":"h","content":{"title":"Hello"},"trigger":{"kind":"interval","seconds":3600,"repeats":true}}
        """
      let rule = """
        {"id":"r","content":{"title":"Hello"},"inbox":false,
         "trigger":{"kind":"recurrence","start":"2026-11-30T05:00","rule":"FREQ=HOURLY;INTERVAL=2;COUNT=3"}}
        """
      let held = try await device.sync(put: [hourly, rule]).added
      #expect(held.contains("h") && held.contains("r@20261130T0500"))
      try await device.sync()
      server.clock.advance(seconds: 5 * 3_600)
      device.mirror.drop("r@20261130T0500")
      device.mirror.drop("r@20261130T0700")
      try await device.sync()
      let found = try await rows(device)
      #expect(found.filter { $0.hasPrefix("h ") } == (1...5).map { "h \($0 * 3_600) inferredDelivered" })
      #expect(
        found.filter { $0.hasPrefix("r ") } == ["r 4000 inferredDelivered", "r 11200 inferredDelivered"])
      #expect(
        try await device.deliveries().first { $0["notification"] == "r" }?["request"] == "r@20261130T0700")
    }
  }

  @Test func whatRepeatsAndIsNotHeldComesDueToo() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      device.status = "denied"
      let hourly = """
        {"id":"h","content":{"title":"Hello"},"trigger":{"kind":"interval","seconds":3600,"repeats":true}}
        """
      try await device.sync(put: [hourly])
      for hour in 1...3 {
        server.clock.advance(seconds: 3_600)
        if hour == 2 {
          #expect(try await client.send("GET", Reports.path(device.id, "/plan")).status == 200)
        } else {
          try await device.sync()
        }
        #expect(try await rows(device) == (1...hour).map { "h \($0 * 3_600) suppressed denied" })
      }
    }
  }

  @Test func theMembersOfADigestComeSingly() async throws {
    let policy = """
      {"quietHours":{"windows":[{"from":"22:00","to":"07:30"}]},
       "types":[{"name":"news","prefixes":["news."],"priority":1,"digest":true}]}
      """
    try await withTruthfulDevices(policy: policy) { server, client in
      var device = TruthfulDevice(client)
      let puts = (1...3).map { TruthfulDevice.put("news.\($0)", at: Int64($0) * 600, ",\"group\":\"g@1\"") }
      let digest = try #require(try await device.sync(put: puts).added.first)
      try await device.sync()
      server.clock.advance(seconds: 3_600)
      try await device.sync()
      #expect(try await rows(device) == [])
      server.clock.advance(seconds: 4 * 3_600)
      device.mirror.drop(digest)
      let tap = device.event("tapped", digest, at: server.clock.now)
      try await device.sync(events: [tap])
      #expect(try await rows(device) == (1...3).map { "news.\($0) \($0 * 600) 13000 delivered" })
      #expect(try await device.deliveries().allSatisfy { $0["request"]?.string == digest })
      // One request that came, and one tap.
      let tallies = try await server.database.column(
        "SELECT round((tallies -> 0 ->> 1)::numeric, 1)::text FROM carillon.device_truths")
      #expect(tallies == ["1.0"])
    }
  }

  @Test func whyNobodyHeldItIsTold() async throws {
    let policy = """
      {"types":[{"name":"cap","prefixes":["cap"],"priority":1,"cap":"drop"},
                {"name":"few","prefixes":["few"],"priority":1,"limit":1}],
       "frequencyCaps":[{"limit":1,"per":3600,"types":["cap"]}]}
      """
    try await withTruthfulDevices(policy: policy) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(
        put: [
          TruthfulDevice.put("past", at: -60), TruthfulDevice.put("cap.1", at: 100),
          TruthfulDevice.put("cap.2", at: 200), TruthfulDevice.put("few.1", at: 300),
          TruthfulDevice.put("few.2", at: 400),
          TruthfulDevice.put("over", at: 500, ",\"expiresAt\":\"\(Reports.time(450))\""),
        ])
      #expect(try await rows(device) == ["past -60 expired past"])
      try await device.sync()
      // Put and due between two syncs.
      let put = TruthfulDevice.put("quick", at: 600)
      #expect(
        try await client.send("PUT", Reports.path(device.id, "/notifications/quick"), body: put).status == 201
      )
      server.clock.advance(seconds: 700)
      device.mirror.drop("cap.1")
      device.mirror.drop("few.1")
      for _ in 1...2 {
        try await device.sync()
        #expect(
          try await rows(device) == [
            "past -60 expired past", "cap.1 100 inferredDelivered", "cap.2 200 missed capped",
            "few.1 300 inferredDelivered", "few.2 400 missed typeLimit", "over 500 expired expired",
            "quick 600 missed unplanned",
          ])
      }
    }
  }

  /// Much may happen in one millisecond: what is put after a look is told, once, whatever the clock says.
  @Test func whatIsPutInTheMillisecondOfALookIsTold() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("a", at: -60)])
      for id in ["b", "c"] {
        let put = TruthfulDevice.put(id, at: -30)
        let answer = try await client.send("PUT", Reports.path(device.id, "/notifications/\(id)"), body: put)
        #expect(answer.status == 201)
        if id == "b" { #expect(try await client.send("GET", Reports.path(device.id, "/plan")).status == 200) }
        try await device.sync()
      }
      for _ in 1...2 {
        #expect(
          try await rows(device) == ["a -60 expired past", "b -30 expired past", "c -30 expired past"])
        try await device.sync(put: [TruthfulDevice.put("d", at: 600)])
      }
      let metrics = try await server.admin.send("GET", "/metrics").text
      #expect(metrics.contains("carillon_deliveries_total{outcome=\"expired\"} 3\n"), "\(metrics)")
    }
  }

  /// What waited for a slot, got it and rang is delivered, and nothing besides.
  @Test func whatGotASlotInTimeIsNotMissed() async throws {
    try await withTruthfulDevices(policy: #"{"slots":1}"#) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("a", at: 600), TruthfulDevice.put("b", at: 1200)])
      try await device.sync()
      server.clock.advance(seconds: 700)
      device.mirror.drop("a")
      #expect(try await device.sync().added == ["b"])
      try await device.sync()
      server.clock.advance(seconds: 600)
      device.mirror.drop("b")
      try await device.sync()
      #expect(try await rows(device) == ["a 600 inferredDelivered", "b 1200 inferredDelivered"])
    }
  }

  /// A plan that is asked for writes down what came due; the device's next report tells what became of it.
  @Test func aPlanThatIsAskedForLeavesItOpen() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("a", at: 600)])
      try await device.sync()
      server.clock.advance(seconds: 5 * 86_400)
      for _ in 1...2 {
        #expect(try await client.send("GET", Reports.path(device.id, "/plan")).status == 200)
        #expect(try await rows(device) == ["a 600 open"])
      }
      device.mirror.drop("a")
      try await device.sync()
      #expect(try await rows(device) == ["a 600 inferredDelivered"])
    }
  }

  @Test func whatRangByAnOlderPlanWasDelivered() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("a", at: 600), TruthfulDevice.put("b", at: 600)])
      try await device.sync()
      // Taken back, and the device never learns of it.
      try await device.sync(put: [TruthfulDevice.put("a", at: 5_000)], cancel: ["b"], isLost: true)
      server.clock.advance(seconds: 700)
      device.mirror.drop("a")
      device.mirror.drop("b")
      try await device.sync()
      #expect(try await rows(device) == ["a 600 inferredDelivered", "b 600 inferredDelivered"])
    }
  }

  /// Denied when it was due, allowed later, and late is better than never.
  @Test func whatIsTriedAgainIsTheSameOccurrence() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      device.status = "denied"
      try await device.sync(put: [TruthfulDevice.put("a", at: 600, Self.late)])
      server.clock.advance(seconds: 700)
      try await device.sync()
      #expect(try await rows(device) == ["a 600 suppressed denied"])
      device.status = "authorized"
      #expect(try await device.sync().added == ["a"])
      try await device.sync()
      server.clock.advance(seconds: 60)
      device.mirror.drop("a")
      for _ in 1...2 {
        try await device.sync()
        #expect(try await rows(device) == ["a 600 701 inferredDelivered"])
      }
    }
  }

  @Test func whoTravelsHasEachOnce() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      let local = """
        {"id":"w","content":{"title":"Hello"},"trigger":{"kind":"local","at":"2026-11-30T08:00"}}
        """
      try await device.sync(put: [local])
      try await device.sync()
      device.zone = "Asia/Tokyo"
      device.mirror.drop("w")
      for _ in 1...2 {
        try await device.sync()
        #expect(try await rows(device) == ["w -6800 expired travelled"])
        server.clock.advance(seconds: 6 * 3_600)
      }
    }
  }

  /// A place has no time that could come: what the device tells of it are its occurrences.
  @Test func eachVisitToAPlaceIsAnOccurrence() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      let place = """
        {"id":"p","content":{"title":"Hello"},"trigger":{"kind":"location","latitude":41.0,"longitude":29.0,
         "radius":200,"onEntry":true,"onExit":false,"repeats":true}}
        """
      #expect(try await device.sync(put: [place]).added == ["p"])
      try await device.sync()
      server.clock.advance(seconds: 10_000)
      func event(_ kind: String, _ seconds: Int64) -> String {
        device.event(kind, "p", at: Reports.start.adding(seconds: seconds))
      }
      try await device.sync(events: [event("delivered", 100), event("tapped", 130)])
      // A later visit, of which only the tap is told, and one that is told twice.
      try await device.sync(events: [
        event("tapped", 5_000), event("delivered", 9_000), event("dismissed", 9_500),
      ])
      #expect(try await rows(device) == ["p 100 delivered", "p 5000 delivered", "p 9000 delivered"])
      let marks = try await device.deliveries().map { ($0["tappedAt"]?.string, $0["dismissedAt"]?.string) }
      #expect(marks.map(\.0) == [nil, Reports.time(5_000), Reports.time(130)])
      #expect(marks.map(\.1) == [Reports.time(9_500), nil, nil])
    }
  }

  @Test func reachAndUnmetNeedsAreThoseOfItsTime() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      device.settings["sound"] = "disabled"
      let put = TruthfulDevice.put("a", at: 600, ",\"needs\":[\"sound\",\"alert\"]")
      try await device.sync(put: [put])
      try await device.sync()
      #expect(try await device.show()["unmetNeeds"]?["sound"]?.int == 1)
      #expect(try await device.show()["reach"]?["visible"]?.int == 1)
      let metrics = try await server.admin.send("GET", "/metrics").text
      #expect(metrics.contains("carillon_plans_with_unmet_needs_total{need=\"sound\"} 1\n"), "\(metrics)")
      #expect(metrics.contains("carillon_plans_with_unmet_needs_total{need=\"alert\"} 0\n"), "\(metrics)")
      server.clock.advance(seconds: 700)
      device.settings["sound"] = "enabled"
      device.mirror.drop("a")
      try await device.sync()
      let row = try #require(try await device.deliveries().first)
      #expect(row["reach"] == "visible" && row["unmetNeeds"]?.array == ["sound"])
    }
  }
}
