import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// What is tapped, and what is not, feeds the priorities of types that adapt, and of no others.
@Suite struct EngagementTests {
  private static func policy(adapts: Bool, minSamples: Int = 5) -> String {
    """
    {"types":[{"name":"tip","prefixes":["tip"],"priority":3,"adaptive":\(adapts)},
              {"name":"news","prefixes":["news"],"priority":2}],
     "adaptivePriority":{"minSamples":\(minSamples),"maxShift":1,"halfLifeDays":30}}
    """
  }

  /// Six tips and thirty news come; the tips are tapped.
  private func live(_ device: inout TruthfulDevice, _ server: TestServer) async throws {
    let tips = (0..<6).map { "tip.\($0)" }
    let news = (0..<30).map { "news.\($0)" }
    try await device.sync(put: (tips + news).map { TruthfulDevice.put($0, at: 60) })
    try await device.sync()
    server.clock.advance(seconds: 120)
    for id in tips + news { device.mirror.drop(id) }
    let taps = tips.map { device.event("tapped", $0, at: server.clock.now) }
    try await device.sync(put: [TruthfulDevice.put("tip.next", at: 600)], events: taps)
  }

  private func priority(_ device: TruthfulDevice) async throws -> Int? {
    let plan = try await device.client.send("GET", Reports.path(device.id, "/plan")).json
    return plan["held"]?.array?.first { $0["id"] == "tip.next" }?["priority"]?.int
  }

  /// Delivered and tapped, by type.
  private func tallies(_ server: TestServer) async throws -> [String: [Double]] {
    let lines = try await server.database.column(
      """
      SELECT concat_ws(' ', tally ->> 0, tally ->> 1, tally ->> 2)
      FROM carillon.device_truths, jsonb_array_elements(tallies) AS tally
      """)
    return Dictionary(
      uniqueKeysWithValues: lines.compactMap { line in
        let parts = (line ?? "").split(separator: " ")
        return (String(parts[0]), parts.dropFirst().compactMap { Double($0) })
      })
  }

  @Test func aTypeThatIsTappedGainsInTheSyncThatTellsIt() async throws {
    try await withTruthfulDevices(policy: Self.policy(adapts: true)) { server, client in
      var device = TruthfulDevice(client)
      try await live(&device, server)
      #expect(try await priority(device) == 2)
      let found = try await tallies(server)
      // A minute old, they weigh nearly all.
      #expect(found["tip"]?.allSatisfy { abs($0 - 6) < 0.01 } == true, "\(found)")
      #expect(found["news"].map { abs($0[0] - 30) < 0.01 && $0[1] == 0 } == true, "\(found)")
    }
  }

  @Test(arguments: [(false, 5), (true, 50)])
  func aTypeThatDoesNotAdaptStaysWhatItIs(_ adapts: Bool, _ minSamples: Int) async throws {
    try await withTruthfulDevices(policy: Self.policy(adapts: adapts, minSamples: minSamples)) {
      server, client in
      var device = TruthfulDevice(client)
      try await live(&device, server)
      #expect(try await priority(device) == 3)
    }
  }

  @Test func aTapCountsOnceHoweverOftenItIsTold() async throws {
    try await withTruthfulDevices(policy: Self.policy(adapts: true)) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("tip.1", at: 60)])
      try await device.sync()
      server.clock.advance(seconds: 120)
      device.mirror.drop("tip.1")
      let tap = device.event("tapped", "tip.1", at: server.clock.now)
      try await device.sync(delivered: ["tip.1"], events: [tap])
      let once = try await tallies(server)
      let another = device.event("tapped", "tip.1", at: server.clock.now)
      for events in [[tap], [another], []] {
        server.clock.advance(seconds: 10)
        try await device.sync(delivered: ["tip.1"], events: events)
      }
      #expect(try await tallies(server) == once)
    }
  }

  /// A half-life later one delivery weighs half of a new one; what was not delivered weighs nothing.
  @Test func whatIsOldWeighsLess() async throws {
    try await withTruthfulDevices(policy: Self.policy(adapts: true)) { server, client in
      var device = TruthfulDevice(client)
      for round in 0..<2 as Range<Int64> {
        let start = round * 30 * 86_400
        try await device.sync(put: [TruthfulDevice.put("tip.\(round)", at: start + 60)])
        try await device.sync()
        server.clock.advance(seconds: 60)
        device.mirror.drop("tip.\(round)")
        try await device.sync(put: [TruthfulDevice.put("news.\(round)", at: start - 60)])
        let weight = try await tallies(server)["tip"]?[0] ?? 0
        #expect(abs(weight - (round == 0 ? 1 : 1.5)) < 1e-9)
        // Time alone changes nothing.
        server.clock.advance(seconds: 30 * 86_400 - 60)
        try await device.sync()
        #expect(try await tallies(server)["tip"]?[0] == weight)
      }
      #expect(try await tallies(server)["news"] == nil)
    }
  }
}
