import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A tenant puts a notification anew with another time, and the device rings it by the older one before it knows. These
/// are two occurrences: neither is the other's delivery. The device is in Istanbul, where it is 03:53:20.
@Suite struct PutAnewTests {
  struct Put: Sendable {
    var isFloating: Bool
    /// In seconds; the older one is for 600, and the newer one comes at 300.
    var newer: Int64
    var isLate = false
    /// When somebody asks for the plan.
    var lookedAt: Int64?
  }

  static let puts = [true, false].flatMap { isFloating in
    [(500, false), (500, true), (3_000, false), (3_000, true)].flatMap { newer, isLate in
      [nil, 400, 650].map { Put(isFloating: isFloating, newer: newer, isLate: isLate, lookedAt: $0) }
    }
  }

  private static func put(_ put: Put, at seconds: Int64) -> String {
    let wall = Reports.start.adding(seconds: seconds + 3 * 3_600).description.prefix(19)
    let trigger =
      put.isFloating
      ? "{\"kind\":\"local\",\"at\":\"\(wall)\"}"
      : "{\"kind\":\"instant\",\"at\":\"\(Reports.time(seconds))\"}"
    let late = put.isLate ? ",\"overdue\":\"deliverNow\"" : ""
    return "{\"id\":\"w\",\"content\":{\"title\":\"at \(seconds)\"},\"trigger\":\(trigger)\(late)}"
  }

  @Test(arguments: puts) func whatRingsByTheOlderTimeIsAnotherOne(_ put: Put) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [Self.put(put, at: 600)])
      try await device.sync()
      server.clock.move(to: Reports.start.adding(seconds: 300))
      let path = Reports.path(device.id, "/notifications/w")
      #expect(try await client.send("PUT", path, body: Self.put(put, at: put.newer)).status == 200)
      if let time = put.lookedAt {
        server.clock.move(to: Reports.start.adding(seconds: time))
        #expect(try await client.send("GET", Reports.path(device.id, "/plan")).status == 200)
      }
      server.clock.move(to: Reports.start.adding(seconds: 700))
      device.mirror.drop("w")
      let comes = put.isLate || put.newer > 700
      #expect(try await device.sync().added == (comes ? ["w"] : []), "\(put)")
      server.clock.move(to: Reports.start.adding(seconds: 4_000))
      device.mirror.drop("w")
      #expect(try await device.sync().added == [])

      let rows = try await device.deliveries().map { row in
        "\(row["wishedAt"]?.string ?? "") \(row["outcome"]?.string ?? "")"
      }
      let outcome = comes ? "inferredDelivered" : "missed"
      #expect(
        rows.sorted()
          == ["\(Reports.time(600)) inferredDelivered", "\(Reports.time(put.newer)) \(outcome)"].sorted(),
        "\(put)")
      // The older one was taken back.
      let inbox = try await client.send("GET", Reports.path(device.id, "/inbox?state=all")).json["items"]?
        .array
      #expect(inbox?.map { $0["title"]?.string } == ["at \(put.newer)"], "\(put)")
    }
  }
}
