import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A wall time comes by the clock of where the device is, and the server learns of a journey only with a report. The
/// devices start in Istanbul, where it is 03:53:20.
@Suite struct JourneyTests {
  struct Journey: CustomTestStringConvertible, Sendable {
    var name: String
    var wall: String
    var zone: String
    /// When the device reports from there, in seconds.
    var reportsAt: Int64
    var isPending = false
    /// `wishedAt outcome reason`
    var rows: [String]

    var testDescription: String { name }
  }

  /// One o'clock in Dubai is midnight in Istanbul, and ten in the evening in Madrid.
  private static let journeys = [
    Journey(
      name: "it came there, before it would have here", wall: "05:00", zone: "Asia/Dubai", reportsAt: 600,
      rows: ["400 inferredDelivered"]),
    Journey(
      name: "it came in both: the earlier one", wall: "05:00", zone: "Asia/Dubai", reportsAt: 4_100,
      rows: ["400 inferredDelivered"]),
    Journey(
      name: "it came here, and is still to come there", wall: "05:00", zone: "Europe/Madrid",
      reportsAt: 4_100, rows: ["4000 inferredDelivered"]),
    Journey(
      name: "it was taken there before it came here", wall: "05:00", zone: "Europe/Madrid",
      reportsAt: 4_100, isPending: true, rows: []),
    Journey(
      name: "it came nowhere: the clock leapt over it", wall: "04:30", zone: "Asia/Dubai", reportsAt: 600,
      rows: ["-1400 expired travelled"]),
    Journey(
      name: "the clock leapt over it, and it is pending still", wall: "04:30", zone: "Asia/Dubai",
      reportsAt: 600, isPending: true, rows: ["-1400 expired travelled"]),
  ]

  /// `wishedAt at outcome reason` of each, oldest first.
  private func rows(_ device: TruthfulDevice) async throws -> [String] {
    try await device.deliveries().reversed().map { row in
      let (wish, at) = (seconds(row["wishedAt"]), seconds(row["at"]))
      return [wish, wish == at ? nil : at, row["outcome"]?.string, row["reason"]?.string]
        .compactMap { $0 }.joined(separator: " ")
    }
  }

  private func seconds(_ value: JSONValue?) -> String {
    (value?.string).flatMap { Instant($0) }.map { "\(($0.milliseconds - Reports.start.milliseconds) / 1000)" }
      ?? "?"
  }

  private func inbox(_ device: TruthfulDevice) async throws -> [String] {
    let answer = try await device.client.send("GET", Reports.path(device.id, "/inbox?state=all"))
    return answer.json["items"]?.array?.compactMap { $0["outcome"]?.string } ?? []
  }

  private static func put(_ trigger: String, _ more: String = "") -> String {
    "{\"id\":\"w\",\"content\":{\"title\":\"Hello\"},\"trigger\":\(trigger)\(more)}"
  }

  private static func local(_ wall: String) -> String {
    "{\"kind\":\"local\",\"at\":\"2026-11-30T\(wall)\"}"
  }

  private static func calendar(_ wall: String) -> String {
    let parts = wall.split(separator: ":").map { Int($0) ?? 0 }
    return """
      {"kind":"calendar","repeats":false,
       "components":{"year":2026,"month":11,"day":30,"hour":\(parts[0]),"minute":\(parts[1])}}
      """
  }

  @Test(arguments: journeys, [true, false])
  func whatWaitsForAWallTimeIsGradedByBothZones(_ journey: Journey, _ isLocal: Bool) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(
        put: [Self.put(isLocal ? Self.local(journey.wall) : Self.calendar(journey.wall))])
      try await device.sync()
      #expect(device.mirror.held.count == 1)
      server.clock.advance(seconds: journey.reportsAt)
      device.zone = journey.zone
      if !journey.isPending { device.mirror.drop("w") }
      try await device.sync()
      for _ in 1...2 {
        #expect(try await rows(device) == journey.rows)
        // Announced once, also where it came before it was put.
        #expect(try await inbox(device).count == journey.rows.count)
        try await device.sync()
      }
      #expect(try await device.show()["drift"]?["dropped"]?.int == 0)
      #expect(device.mirror.held.count == (journey.rows.isEmpty ? 1 : 0))
    }
  }

  /// What was delivered there does not come again by the wall time of here, though that is still to come; put anew, it
  /// does.
  @Test(arguments: [true, false]) func whatRangBeforeTheJourneyIsOver(_ isReportedBefore: Bool) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      let late = ",\"overdue\":\"deliverNow\""
      try await device.sync(put: [Self.put(Self.local("05:00"), late)])
      try await device.sync()
      server.clock.advance(seconds: 4_100)
      device.mirror.drop("w")
      if isReportedBefore { try await device.sync() }
      device.zone = "Europe/Madrid"
      // Half past two, three o'clock, half past five.
      for seconds in [2_000, 1_800, 9_000] as [Int64] {
        server.clock.advance(seconds: seconds)
        try await device.sync()
        #expect(device.mirror.held.isEmpty)
        #expect(try await rows(device) == ["4000 inferredDelivered"])
        #expect(try await inbox(device).count == 1)
        let plan = try await client.send("GET", Reports.path(device.id, "/plan")).json
        #expect(plan["expired"]?.array?.map { $0["fireAt"]?.string } == [Reports.time(4_000)])
      }
      let other = Self.put(Self.local("09:00"), late).replacing("\"w\"", with: "\"v\"")
      try await device.sync(put: [other])
      #expect(device.mirror.held.count == 1)
      // And back: nine o'clock has been leapt over, and what wants to be late is.
      device.zone = "Asia/Tokyo"
      try await device.sync()
      #expect(device.mirror.held.count == 1)
      server.clock.advance(seconds: 60)
      device.mirror.drop("v")
      try await device.sync()
      #expect(try await rows(device).last?.hasSuffix(" inferredDelivered") == true)
      #expect(try await inbox(device).count == 2)
    }
  }

  /// The device says that it rang all the same.
  @Test(arguments: ["tapped", "delivered", "center"])
  func whatTheDeviceTellsProvesIt(_ kind: String) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [Self.put(Self.local("04:30"))])
      try await device.sync()
      server.clock.advance(seconds: 600)
      device.zone = "Asia/Dubai"
      device.mirror.drop("w")
      let events = kind == "center" ? [] : [device.event(kind, "w", at: server.clock.now)]
      try await device.sync(delivered: kind == "center" ? ["w"] : [], events: events)
      for _ in 1...2 {
        #expect(try await rows(device) == ["-1400 delivered"])
        #expect(try await inbox(device) == ["delivered"])
        try await device.sync()
      }
    }
  }

  /// What waited for no slot there, or was not allowed, is over by the same rule.
  @Test func whatWasNotHeldComesDueOnceToo() async throws {
    try await withTruthfulDevices(policy: #"{"slots":1}"#) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("first", at: 86_400), Self.put(Self.local("05:00"))])
      try await device.sync()
      try await device.sync(put: [TruthfulDevice.put("first", at: 60)])
      server.clock.advance(seconds: 30)
      device.zone = "Asia/Karachi"
      try await device.sync()
      for _ in 1...2 {
        #expect(try await rows(device) == ["-3200 expired travelled"])
        #expect(try await inbox(device).count == 1)
        server.clock.advance(seconds: 20)
        try await device.sync()
      }
    }
  }

  struct OlderPlan: Sendable {
    var zone: String
    /// When it reports, the answers of all but the last of them lost; it is pending in all but the last.
    var reportsAt: [Int64]
    var isLate = true
    var added: [String] = []
    var rows: [String]
  }

  /// A cap had moved it from five o'clock to 05:28:20, and a plan that somebody else asked for takes that back. The
  /// device lives by the plan before, and rings it by the clock of where it is.
  @Test(arguments: [
    OlderPlan(zone: "Europe/Istanbul", reportsAt: [5_800], rows: ["4000 5700 inferredDelivered"]),
    OlderPlan(zone: "Asia/Dubai", reportsAt: [2_200], rows: ["400 2100 inferredDelivered"]),
    OlderPlan(zone: "Asia/Dubai", reportsAt: [2_200], isLate: false, rows: ["400 2100 inferredDelivered"]),
    OlderPlan(zone: "Asia/Karachi", reportsAt: [600], added: ["w"], rows: []),
    OlderPlan(zone: "Asia/Karachi", reportsAt: [600], isLate: false, rows: ["-3200 expired travelled"]),
    OlderPlan(
      zone: "Europe/Madrid", reportsAt: [6_000, 13_000], rows: ["11200 12900 inferredDelivered"]),
  ])
  func whatAnOlderPlanRangOnAJourneyDoesNotComeAgain(_ journey: OlderPlan) async throws {
    let cap = #"{"frequencyCaps":[{"limit":1,"per":1800}]}"#
    try await withTruthfulDevices(policy: cap) { server, client in
      var device = TruthfulDevice(client)
      let w = Self.put(Self.local("05:00"), journey.isLate ? ",\"overdue\":\"deliverNow\"" : "")
      let answer = try await device.sync(put: [TruthfulDevice.put("first", at: 3_900), w])
      let times = answer["diff"]?["add"]?.array?.compactMap { $0["fireAt"]?.string }
      try #require(times == [Reports.time(3_900), Reports.time(5_700)])
      try await device.sync()
      #expect(try await client.send("DELETE", Reports.path(device.id, "/notifications/first")).status == 204)
      #expect(try await client.send("GET", Reports.path(device.id, "/plan")).status == 200)
      device.zone = journey.zone
      var added: [String] = []
      for time in journey.reportsAt {
        server.clock.move(to: Reports.start.adding(seconds: time))
        if time > 3_900 { device.mirror.drop("first") }
        let isLast = time == journey.reportsAt.last
        if isLast { device.mirror.drop("w") }
        added = try await device.sync(isLost: !isLast).added
      }
      #expect(added == journey.added)
      let deliveries = try await rows(device).filter { !$0.hasPrefix("3900 ") }
      #expect(deliveries == journey.rows)
    }
  }
}
