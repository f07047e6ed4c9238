import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A device's clock is information: it says what may have rung, never who wins or what is old.
@Suite struct DeviceClockTests {
  private func withDevice(
    at seconds: Int64 = 6_000, _ body: (TestServer, inout TruthfulDevice) async throws -> Void
  ) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: ["a", "b"].map { TruthfulDevice.put($0, at: seconds) })
      try await device.sync()
      #expect(device.mirror.held.count == 2)
      try await body(server, &device)
    }
  }

  private func rows(_ device: TruthfulDevice) async throws -> [String] {
    try await device.deliveries().reversed().map {
      "\($0["notification"]?.string ?? "") \($0["at"]?.string ?? "") \($0["outcome"]?.string ?? "")"
    }
  }

  private func inbox(_ device: TruthfulDevice) async throws -> [String] {
    let answer = try await device.client.send("GET", Reports.path(device.id, "/inbox?state=all"))
    return answer.json["items"]?.array?.compactMap { $0["notification"]?.string } ?? []
  }

  enum Word: CaseIterable { case tapped, dismissed, delivered, inNotificationCenter, nothing }

  /// Ten minutes ahead: what is due at 6000 rings at 5400.
  @Test(arguments: Word.allCases) func whatRangByAClockThatIsAheadIsNotAddedAgain(_ word: Word) async throws {
    try await withDevice { server, device in
      server.clock.advance(seconds: 5_500)
      device.mirror.drop("a")
      device.more = ",\"sentAt\":\"\(Reports.time(6_100))\""
      var events: [String] = []
      switch word {
      case .tapped: events = [device.event("tapped", "a", at: Reports.start.adding(seconds: 6_050))]
      case .dismissed: events = [device.event("dismissed", "a", at: Reports.start.adding(seconds: 6_050))]
      case .delivered: events = [device.event("delivered", "a", at: Reports.start.adding(seconds: 6_000))]
      case .inNotificationCenter, .nothing: break
      }
      let answer = try await device.sync(
        delivered: word == .inNotificationCenter ? ["a"] : [], events: events)
      let outcome = word == .nothing ? "inferredDelivered" : "delivered"
      #expect(answer.added == [] && answer.removed == [])
      #expect(try await rows(device) == ["a \(Reports.time(6_000)) \(outcome)"])
      // b is pending: it has not rung.
      for seconds in [100, 600, 600] as [Int64] {
        let items = try await inbox(device)
        #expect(items.filter { $0 == "a" } == ["a"])
        server.clock.advance(seconds: seconds)
        if seconds == 600 { device.mirror.drop("b") }
        device.more = ",\"sentAt\":\"\(server.clock.now.adding(seconds: 600))\""
        #expect(try await device.sync().added == [])
        let rows = try await rows(device)
        #expect(rows.filter { $0.hasPrefix("a ") } == ["a \(Reports.time(6_000)) \(outcome)"])
      }
      let found = try await rows(device)
      #expect(found.map { $0.prefix(2) } == ["a ", "b "])
      let all = try await inbox(device)
      #expect(all.count == 2)
      let drift = try await device.show()["drift"]
      #expect(drift?["dropped"]?.int == 0)
      let tapped = try await device.deliveries().filter { $0["tappedAt"]?.string != nil }
      #expect(tapped.count == (word == .tapped ? 1 : 0))
      let metrics = try await server.admin.send("GET", "/metrics").text
      let (told, inferred) = word == .nothing ? (0, 2) : (1, 1)
      #expect(metrics.contains("carillon_deliveries_total{outcome=\"delivered\"} \(told)\n"), "\(metrics)")
      #expect(
        metrics.contains("carillon_deliveries_total{outcome=\"inferredDelivered\"} \(inferred)\n"),
        "\(metrics)")
    }
  }

  /// The clock is right again when the tap is told.
  @Test func aClockThatWasAheadIsBelievedByTheTap() async throws {
    try await withDevice { server, device in
      server.clock.advance(seconds: 5_500)
      device.mirror.drop("a")
      device.more = ",\"sentAt\":\"\(Reports.time(5_500))\""
      let tap = device.event("tapped", "a", at: Reports.start.adding(seconds: 5_490))
      let answer = try await device.sync(events: [tap])
      #expect(answer.added == [])
      #expect(try await rows(device) == ["a \(Reports.time(6_000)) delivered"])
    }
  }

  /// What it tells of is the one that rang before under this id, and the new one waits.
  @Test func aTapOnAnOlderOneProvesNothingOfTheNext() async throws {
    try await withDevice(at: 60) { server, device in
      server.clock.advance(seconds: 120)
      for id in ["a", "b"] { device.mirror.drop(id) }
      try await device.sync(put: [TruthfulDevice.put("a", at: 6_000)])
      try await device.sync()
      let tap = device.event("tapped", "a", at: server.clock.now)
      try await device.sync(events: [tap])
      #expect(
        try await rows(device) == [
          "a \(Reports.time(60)) delivered", "b \(Reports.time(60)) inferredDelivered",
        ])
      #expect(device.mirror.held.count == 1)
      // Nor where the report does not say what is pending.
      let again = device.event("dismissed", "a", at: server.clock.now)
      try await device.sync(pending: .unsaid, events: [again])
      #expect(try await rows(device).count == 2)
    }
  }

  /// Case 24 C and beyond: years ahead, years behind, and jumping, nothing of what is pending has rung, nothing that is
  /// gone is taken for rung without a word, and nothing is forgotten.
  @Test(arguments: [[10], [-10], [10, -10, 0, 30]])
  func aClockThatIsYearsOffMovesNothing(_ years: [Int]) async throws {
    try await withDevice(at: 40 * 86_400) { server, device in
      for step in 0..<8 {
        server.clock.advance(seconds: 3_600)
        let year = Int64(years[step % years.count]) * 365 * 86_400
        let clock = server.clock.now.adding(seconds: year)
        device.more = ",\"sentAt\":\"\(clock)\""
        // Each report has something new.
        try await device.sync(
          put: [TruthfulDevice.put("n\(step)", at: Int64(50 + step) * 86_400)],
          events: [device.event("tapped", "stranger", at: clock)])
      }
      #expect(try await rows(device) == [])
      #expect(device.mirror.held.count == 10)
      // All is gone, nobody says why, and the clock has been set ten years ahead: added again, not delivered.
      device.more = ",\"sentAt\":\"2036-12-01T00:00:00Z\""
      for id in device.mirror.held.keys { device.mirror.drop(id) }
      #expect(try await device.sync().added.count == 10)
      #expect(try await rows(device) == [])
      // One of them has rung, so it says.
      device.mirror.drop("a")
      let tap = device.event("tapped", "a", at: Instant("2036-12-01T00:00:00Z")!)
      #expect(try await device.sync(events: [tap]).added == [])
      #expect(try await rows(device) == ["a \(Reports.time(40 * 86_400)) delivered"])
      #expect(try await inbox(device) == ["a"])
      #expect(try await device.deliveries().first?["tappedAt"]?.string == server.clock.now.description)
      // What came due by our clock stays, however far the other one was ahead.
      server.clock.advance(seconds: 60)
      try await device.sync(put: [TruthfulDevice.put("p", at: 0)])
      #expect(try await rows(device).count == 2)
    }
  }

  /// Ten minutes ahead, `a` rings at 2400 by ours. A plan that the device never got had moved it to make room for
  /// another one: it is not added again, nor told twice.
  @Test func whatRangEarlyByAnOlderPlanIsNotAddedAgain() async throws {
    try await withTruthfulDevices(policy: "{\"frequencyCaps\":[{\"limit\":1,\"per\":1800}]}") {
      server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("a", at: 3_000)])
      try await device.sync()
      let path = Reports.path(device.id, "/notifications/habit.b")
      let put = try await client.send("PUT", path, body: TruthfulDevice.put("habit.b", at: 2_600))
      try #require(put.status == 201)
      let plan = try await client.send("GET", Reports.path(device.id, "/plan"))
      try #require(plan.json["held"]?.array?.contains { $0["fireAt"]?.string == Reports.time(4_400) } == true)
      server.clock.advance(seconds: 2_450)
      device.mirror.drop("a")
      device.more = ",\"sentAt\":\"\(Reports.time(3_050))\""
      let answer = try await device.sync()
      #expect(!answer.added.contains("a"))
      server.clock.advance(seconds: 6_000)
      device.mirror.drop("habit.b")
      device.more = ",\"sentAt\":\"\(Reports.time(9_050))\""
      let late = try await device.sync()
      #expect(late.added == [])
      let found = try await rows(device).filter { $0.hasPrefix("a ") }
      #expect(found == ["a \(Reports.time(3_000)) inferredDelivered"])
    }
  }

  /// Ten minutes ahead, what repeats daily rings at 23:50 by ours: the tap is on that day's, not on the day's before.
  @Test func anEarlyTapOnWhatRepeatsIsOfTheTimeThatTheDeviceHasReached() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      device.zone = "UTC"
      let midnight = Instant(milliseconds: (Reports.start.milliseconds / 86_400_000 + 2) * 86_400_000)
      func go(to time: Instant) {
        server.clock.advance(seconds: (time.milliseconds - server.clock.now.milliseconds) / 1_000)
      }
      let daily = """
        {"id":"d","content":{"title":"Daily"},"trigger":{"kind":"calendar","repeats":true,
         "components":{"hour":0,"minute":0}}}
        """
      try await device.sync(put: [daily])
      try await device.sync()
      go(to: midnight.adding(seconds: -3_600))
      try await device.sync()
      let early = midnight.adding(seconds: -300)
      go(to: early)
      device.more = ",\"sentAt\":\"\(midnight.adding(seconds: 300))\""
      let tap = device.event("tapped", "d", at: midnight.adding(seconds: 200))
      for number in [nil, 4, nil] {
        try await device.sync(events: [tap], sequence: number)
        let last = try await device.deliveries()
        #expect(last.count == 2)
        #expect(last[0]["at"]?.string == midnight.description && last[0]["outcome"] == "delivered")
        #expect(last[0]["tappedAt"]?.string == early.description)
        #expect(last[1]["outcome"] == "inferredDelivered" && last[1]["tappedAt"]?.string == nil)
      }
      // Another word on the same one.
      let dismissal = device.event("dismissed", "d", at: midnight.adding(seconds: 250))
      try await device.sync(events: [dismissal])
      go(to: midnight.adding(seconds: 60))
      device.more = ",\"sentAt\":\"\(midnight.adding(seconds: 660))\""
      for _ in 0..<2 {
        try await device.sync()
        let rows = try await device.deliveries()
        #expect(rows.count == 2 && rows[0]["outcome"] == "delivered" && rows[0]["tappedAt"]?.string != nil)
        #expect(rows[0]["dismissedAt"]?.string != nil)
        server.clock.advance(seconds: 3_600)
      }
      #expect(try await inbox(device).count == 2)
      let metrics = try await server.admin.send("GET", "/metrics").text
      #expect(metrics.contains("carillon_deliveries_total{outcome=\"delivered\"} 1\n"), "\(metrics)")
      // The next day's comes by itself, and a clock that is years ahead tells nothing of the days to come.
      go(to: midnight.adding(seconds: 86_400 - 7_200))
      try await device.sync(events: [
        device.event("tapped", "d", at: midnight.adding(seconds: 9 * 365 * 86_400))
      ])
      #expect(try await device.deliveries().count == 2)
      go(to: midnight.adding(seconds: 86_460))
      try await device.sync()
      #expect(try await device.deliveries().count == 3)
    }
  }
}
