import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// The same notification put again: while it is to come it is a repetition, and pushes nothing away. Once what counts
/// from its put is over, it is a new request. The devices start in Istanbul, where it is 03:53:20.
@Suite struct RenewalTests {
  enum Way: CaseIterable { case put, keyedPut, batch, sync }

  private static func body(_ trigger: String, _ more: String = "") -> String {
    "{\"id\":\"t\",\"content\":{\"title\":\"Tea\"},\"trigger\":\(trigger)\(more)}"
  }

  private static let hour = body("{\"kind\":\"interval\",\"seconds\":3600,\"repeats\":false}")

  /// Puts it, and says whether something was stored, and for when, as far as the way tells.
  private func put(
    _ body: String, _ way: Way, _ device: inout TruthfulDevice, key: String = "0"
  ) async throws -> (isStored: Bool?, fireAt: String?) {
    let path = Reports.path(device.id, "/notifications/t")
    switch way {
    case .put, .keyedPut:
      let fields = way == .put ? [] : [("Idempotency-Key", key)]
      let answer = try await device.client.send("PUT", path, headers: fields, body: body)
      try #require([200, 201].contains(answer.status), "\(answer)")
      return (nil, answer.json["fireAt"]?.string)
    case .batch:
      let answer = try await device.client.send(
        "POST", "/v1/notifications", body: Reports.batch(device.id, [body]))
      return (answer.json["results"]?.array?.first?["status"]?.string == "stored", nil)
    case .sync:
      let answer = try await device.sync(put: [body])
      let added = answer["diff"]?["add"]?.array?.first
      return (added != nil, added?["fireAt"]?.string)
    }
  }

  private func expect(
    _ put: (isStored: Bool?, fireAt: String?), isStored: Bool, at seconds: Int64, _ way: Way
  ) {
    if let stored = put.isStored { #expect(stored == isStored) }
    if let fireAt = put.fireAt { #expect(fireAt == Reports.time(seconds)) }
  }

  /// Whether the device has told that it rang, or not yet.
  @Test(arguments: Way.allCases, [true, false])
  func anIntervalThatHasRungBeginsAnew(_ way: Way, _ isReported: Bool) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync()
      expect(try await put(Self.hour, way, &device, key: "1"), isStored: true, at: 3_600, way)
      try await device.sync()
      #expect(device.mirror.held.count == 1)
      server.clock.advance(seconds: 1_800)
      expect(try await put(Self.hour, way, &device, key: "2"), isStored: false, at: 3_600, way)
      #expect(try await device.sync().added == [])

      server.clock.advance(seconds: 1_800)
      device.mirror.drop("t")
      if isReported { try await device.sync() }
      expect(try await put(Self.hour, way, &device, key: "3"), isStored: true, at: 7_200, way)
      // At once again: a retry.
      server.clock.advance(seconds: 60)
      expect(try await put(Self.hour, way, &device, key: "4"), isStored: false, at: 7_200, way)
      try await device.sync()
      #expect(device.mirror.held.count == 1)
      server.clock.advance(seconds: 3_600)
      device.mirror.drop("t")
      try await device.sync()
      let rows = try await device.deliveries()
      #expect(rows.map { $0["outcome"]?.string } == ["inferredDelivered", "inferredDelivered"], "\(rows)")
      #expect(rows.map { $0["at"]?.string } == [Reports.time(7_200), Reports.time(3_600)])
      let inbox = try await client.send("GET", Reports.path(device.id, "/inbox"))
      #expect(inbox.json["items"]?.array?.count == 2)
    }
  }

  /// Its wish has passed, and quiet hours bring it later: it is to come.
  @Test(arguments: Way.allCases) func oneThatWasMovedIsToCome(_ way: Way) async throws {
    let quiet = "{\"quietHours\":{\"windows\":[{\"from\":\"04:30\",\"to\":\"07:00\"}]}}"
    try await withTruthfulDevices(policy: quiet) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [Self.hour])
      try await device.sync()
      server.clock.advance(seconds: 3_700)
      let again = try await put(Self.hour, way, &device)
      #expect(again.isStored ?? false == false)
      try await device.sync()
      let plan = try await client.send("GET", Reports.path(device.id, "/plan")).json
      // Seven o'clock.
      #expect(plan["held"]?.array?.first?["fireAt"]?.string == "2026-11-30T04:00:00Z")
      #expect(plan["held"]?.array?.first?["moves"]?.array?.first?["from"]?.string == Reports.time(3_600))
    }
  }

  /// Its time has passed by our clock, and the device, whose own is behind, has it pending.
  @Test func oneThatIsPendingYetRingsYet() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [Self.hour])
      try await device.sync()
      server.clock.advance(seconds: 3_700)
      let answer = try await device.sync(put: [Self.hour])
      #expect(answer.added == [] && answer.removed == [])
    }
  }

  /// Components without a date are the next time that matches.
  @Test(arguments: Way.allCases) func componentsThatHaveRungMeanTheNextTime(_ way: Way) async throws {
    let body = Self.body(
      "{\"kind\":\"calendar\",\"components\":{\"hour\":5,\"minute\":0},\"repeats\":false}")
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [body])
      try await device.sync()
      server.clock.advance(seconds: 3_000)
      expect(try await put(body, way, &device, key: "1"), isStored: false, at: 4_000, way)
      server.clock.advance(seconds: 1_100)
      device.mirror.drop("t")
      try await device.sync()
      expect(try await put(body, way, &device, key: "2"), isStored: true, at: 4_000 + 86_400, way)
      try await device.sync()
      #expect(device.mirror.held.count == 1)
    }
  }

  /// A time with a date stays what it is, and every answer shows that it has passed.
  @Test(arguments: [
    "{\"kind\":\"instant\",\"at\":\"\(Reports.time(4_000))\"}",
    "{\"kind\":\"local\",\"at\":\"2026-11-30T05:00\"}",
    "{\"kind\":\"calendar\",\"components\":{\"year\":2026,\"month\":11,\"day\":30,\"hour\":5},\"repeats\":false}",
    "{\"kind\":\"interval\",\"seconds\":4000,\"repeats\":false,\"anchor\":\"\(Reports.time(0))\"}",
  ])
  func aTimeWithADateStaysPast(_ trigger: String) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      let body = Self.body(trigger)
      try await device.sync(put: [body])
      try await device.sync()
      server.clock.advance(seconds: 4_100)
      device.mirror.drop("t")
      try await device.sync()
      for way in Way.allCases {
        expect(try await put(body, way, &device, key: "\(way)"), isStored: false, at: 4_000, way)
      }
      #expect(device.mirror.held.isEmpty)
      let item = try await client.send("GET", Reports.path(device.id, "/notifications/t")).json
      #expect(item["state"]?.string == "expired" && item["fireAt"]?.string == Reports.time(4_000))
      let why = try await client.send("GET", Reports.path(device.id, "/plan/explain?notification=t")).json
      #expect(why["state"]?.string == "expired")
      #expect(
        why["summary"]?.string?.hasPrefix("It was delivered at \(Reports.time(4_000))") == true, "\(why)")
      #expect(try await device.deliveries().count == 1)
    }
  }
}
