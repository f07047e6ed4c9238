import CarillonJSON
import IntegrationSupport
import Testing

/// Settings that were told while less was allowed say nothing once more is: a report that tells of the permission alone
/// brings the plan back, and no need is called unmet for what a denial had switched off.
@Suite struct AllowedAgainTests {
  private enum Allowance: Int { case nothing, quietly, everything }

  private static let statuses: [(word: String, allowance: Allowance)] = [
    ("notDetermined", .nothing), ("denied", .nothing), ("mystery", .nothing), ("provisional", .quietly),
    ("ephemeral", .quietly), ("authorized", .everything),
  ]
  private static let off = TruthfulDevice.settings.mapValues { _ in "disabled" }
  private static let pill = TruthfulDevice.put("pill", at: 3_600, ",\"needs\":[\"sound\"]")

  private func plan(_ device: TruthfulDevice) async throws -> JSONValue {
    try await device.client.send("GET", Reports.path(device.id, "/plan")).json
  }

  private func needs(_ device: TruthfulDevice) async throws -> [String]? {
    try await plan(device)["held"]?.array?.first?["unmetNeeds"]?.array?.compactMap(\.string)
  }

  /// Every pair of statuses, with all settings off under the first one and none told with the second.
  @Test func everyChangeOfStatus() async throws {
    try await withTruthfulDevices { _, client in
      for (old, before) in Self.statuses {
        for (new, after) in Self.statuses {
          let comment = Comment(rawValue: "\(old) to \(new)")
          var device = TruthfulDevice(client)
          (device.status, device.settings) = (old, Self.off)
          try await device.sync(put: [Self.pill])
          (device.status, device.settings) = (new, [:])
          try await device.sync()
          let isMore = after.rawValue > before.rawValue
          let plan = try await plan(device)
          let held = plan["held"]?.array ?? []
          if after == .nothing {
            #expect(held.isEmpty && plan["withheld"]?[0]?["reason"]?.string == Self.reason(new), comment)
          } else if isMore {
            #expect(held.first?["reach"]?.string == (after == .quietly ? "quiet" : "audible"), comment)
            let unmet = held.first?["unmetNeeds"]?.array?.compactMap(\.string)
            #expect(unmet == (after == .quietly ? ["sound"] : []), comment)
          } else {
            #expect(held.isEmpty && plan["withheld"]?[0]?["reason"] == "unreachable", comment)
          }
          let settings = try await device.show()["settings"]?.object?.count
          #expect(settings == (isMore ? 0 : Self.off.count), comment)
          let newest = try await device.history().first { $0["sequence"] == 2 }?["changes"]?.array ?? []
          let sound = newest.first { $0["member"] == "settings.sound" }
          #expect((sound != nil) == isMore, comment)
          if let sound { #expect(sound["from"] == "disabled" && sound["to"] == .null, comment) }
        }
      }
    }
  }

  private static func reason(_ status: String) -> String { status == "mystery" ? "unknownStatus" : status }

  @Test func noUnmetNeedIsCountedFromADenial() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [Self.pill])
      (device.status, device.settings) = ("denied", Self.off)
      try await device.sync()
      (device.status, device.settings) = ("authorized", [:])
      #expect(try await device.sync().added == ["pill"])
      #expect(try await needs(device) == [])
      let metrics = try await server.admin.send("GET", "/metrics").text
      #expect(metrics.contains("carillon_plans_with_unmet_needs_total{need=\"sound\"} 0\n"), "\(metrics)")
      // What is told from now on holds, and stays where a report leaves it out.
      device.settings = ["sound": "disabled"]
      try await device.sync()
      #expect(try await needs(device) == ["sound"])
      device.settings = [:]
      try await device.sync()
      #expect(try await needs(device) == ["sound"])
      server.clock.advance(seconds: 3_700)
      device.mirror.drop("pill")
      try await device.sync()
      let row = try #require(try await device.deliveries().first)
      #expect(row["outcome"] == "inferredDelivered" && row["unmetNeeds"] == ["sound"], "\(row)")
    }
  }

  /// A report that tells some of the settings tells nothing of the others.
  @Test func whatComesWithThePermissionIsTaken() async throws {
    try await withTruthfulDevices { _, client in
      var device = TruthfulDevice(client)
      (device.status, device.settings) = ("denied", Self.off)
      try await device.sync(put: [Self.pill])
      (device.status, device.settings) = ("authorized", ["sound": "disabled"])
      try await device.sync()
      #expect(try await needs(device) == ["sound"])
      #expect(try await plan(device)["held"]?[0]?["reach"] == "visible")
    }
  }
}
