import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A plan that is asked for notes what has come due by the clock of the last report. Where the next report tells of a
/// journey west, it is still to come, and is told once all the same. The devices start in Istanbul, where it is 03:53:20.
@Suite struct PostponedTests {
  /// Five o'clock in Istanbul, and in Madrid.
  private static let here: Int64 = 4_000
  private static let there: Int64 = 11_200
  private static let put =
    "{\"id\":\"w\",\"content\":{\"title\":\"Hello\"},\"trigger\":{\"kind\":\"local\",\"at\":\"2026-11-30T05:00\"}}"
  private static let quiet = "{\"quietHours\":{\"windows\":[{\"from\":\"04:55\",\"to\":\"05:05\"}]}}"

  private func look(_ device: TruthfulDevice) async throws {
    #expect(try await device.client.send("GET", Reports.path(device.id, "/plan")).status == 200)
  }

  private func items(_ device: TruthfulDevice) async throws -> [String] {
    let answer = try await device.client.send("GET", Reports.path(device.id, "/inbox?state=all"))
    return answer.json["items"]?.array?.compactMap { $0["outcome"]?.string } ?? []
  }

  /// A device that has gone to Madrid, and of which somebody asked for the plan before it said so.
  private func withDevice(
    isMoved: Bool = false, _ body: (TestServer, inout TruthfulDevice) async throws -> Void
  ) async throws {
    try await withTruthfulDevices(policy: isMoved ? Self.quiet : nil) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [Self.put])
      try await device.sync()
      server.clock.advance(seconds: Self.here + 350)
      try await look(device)
      #expect(try await device.outcomes() == ["w": "open"])
      device.zone = "Europe/Madrid"
      try await device.sync()
      #expect(device.mirror.held.count == 1)
      #expect(try await device.outcomes() == ["w": "open"])
      try await body(server, &device)
    }
  }

  /// Moved by quiet hours, too; asked for once more, or not, before the report that it has rung.
  @Test(arguments: [true, false], [true, false])
  func itIsToldOnce(_ isMoved: Bool, _ isAskedFor: Bool) async throws {
    try await withDevice(isMoved: isMoved) { server, device in
      server.clock.advance(seconds: Self.there - Self.here)
      device.mirror.drop("w")
      if isAskedFor { try await look(device) }
      try await device.sync()
      let rows = try await device.deliveries()
      #expect(rows.count == 1 && rows.first?["outcome"]?.string == "inferredDelivered", "\(rows)")
      #expect(rows.first?["at"]?.string == Reports.time(Self.there + (isMoved ? 300 : 0)))
      #expect(try await items(device) == ["inferredDelivered"])
      // Nor does it come by the clock of a third zone.
      device.zone = "Atlantic/Azores"
      #expect(try await device.sync().added == [])
      server.clock.advance(seconds: 10_000)
      try await device.sync()
      #expect(try await device.deliveries().count == 1)
    }
  }

  /// Taken back before it came there, by the tenant or by the device.
  @Test(arguments: [true, false]) func whatIsTakenBackDoesNotStayOpen(_ byTenant: Bool) async throws {
    try await withDevice { _, device in
      if byTenant {
        let path = Reports.path(device.id, "/notifications/w")
        #expect(try await device.client.send("DELETE", path).status == 204)
        try await device.sync()
      } else {
        try await device.sync(cancel: ["w"])
      }
      #expect(device.mirror.held.isEmpty)
      let rows = try await device.deliveries()
      #expect(rows.map { $0["outcome"]?.string } == ["missed"] && rows[0]["reason"] == "takenBack", "\(rows)")
    }
  }

  /// Going east again, it leaps over the time: then it comes nowhere any more.
  @Test func whatIsLeaptOverComesNoMore() async throws {
    try await withDevice { server, device in
      device.zone = "Asia/Karachi"
      device.mirror.drop("w")
      #expect(try await device.sync().added == [])
      let rows = try await device.deliveries()
      #expect(
        rows.map { $0["outcome"]?.string } == ["expired"] && rows[0]["reason"] == "travelled", "\(rows)")
      device.zone = "Europe/Madrid"
      #expect(try await device.sync().added == [])
      server.clock.advance(seconds: Self.there)
      try await device.sync()
      #expect(try await device.deliveries().count == 1)
      #expect(try await items(device) == ["expired"])
    }
  }

  /// A plan is made for whoever asks, and goes on to hold what the device has by the plan before. That rings, and counts,
  /// though the device has shown it in no report yet.
  @Test(arguments: [true, false]) func aPlanForSomebodyElseTakesNothingAway(_ isWantedLate: Bool) async throws
  {
    let late = isWantedLate ? ",\"overdue\":\"deliverNow\"" : ""
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync()
      try await device.sync(put: (1...3).map { TruthfulDevice.put("n\($0)", at: Int64($0) * 600, late) })
      for seconds in [700, 600] as [Int64] {
        server.clock.advance(seconds: seconds)
        try await look(device)
      }
      server.clock.advance(seconds: 600)
      device.mirror = DeviceMirror()
      #expect(try await device.sync().added == [])
      let outcomes = try await device.outcomes()
      #expect(outcomes == ["n1": "inferredDelivered", "n2": "inferredDelivered", "n3": "inferredDelivered"])
    }
  }

  /// A cap moved it behind another one, of which it turns out that it never came: there was room for it at a time that
  /// has passed. It comes at once.
  @Test func whatWaitedForNothingIsNotGivenUp() async throws {
    let cap = "{\"frequencyCaps\":[{\"limit\":1,\"per\":1800}]}"
    try await withTruthfulDevices(policy: cap) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync()
      let puts = [TruthfulDevice.put("first", at: 600), TruthfulDevice.put("second", at: 900)]
      try await device.sync(put: puts, isLost: true)
      server.clock.advance(seconds: 1_000)
      let answer = try await device.sync()
      #expect(answer.added == ["second"])
      #expect(answer["diff"]?["add"]?.array?.first?["fireAt"]?.string == Reports.time(1_001))
      #expect(try await device.outcomes() == ["first": "missed"])
    }
  }

  /// It is denied there before it comes.
  @Test func whatIsDeniedLaterIsSuppressed() async throws {
    try await withDevice { server, device in
      device.status = "denied"
      try await device.sync()
      device.mirror = DeviceMirror()
      server.clock.advance(seconds: Self.there - Self.here)
      try await device.sync()
      let rows = try await device.deliveries()
      #expect(rows.map { $0["outcome"]?.string } == ["suppressed"], "\(rows)")
      #expect(try await items(device) == ["suppressed"])
    }
  }
}
