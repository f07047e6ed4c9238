import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A device that goes from sound and lock screen to neither gets fewer notifications of the types that can wait.
@Suite struct FatigueTests {
  private static let day: Int64 = 86_400
  private static let policy = """
    {"types":[{"name":"promo","prefixes":["promo"],"priority":2},{"name":"habit","prefixes":["habit"],"priority":1}],
     "frequencyCaps":[{"limit":4,"per":86400,"types":["promo"]}],
     "fatigue":{"capScale":0.5,"minPriority":2,"recoveryDays":14}}
    """

  /// A device with four promotions in twenty days, within an hour.
  private func withDevice(_ body: (TestServer, inout TruthfulDevice) async throws -> Void) async throws {
    try await withTruthfulDevices(policy: Self.policy) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(
        put: (0..<4).map { TruthfulDevice.put("promo.\($0)", at: 20 * Self.day + Int64($0) * 60) })
      try await device.sync()
      #expect(try await moved(device) == 0)
      try await body(server, &device)
    }
  }

  /// How many of them a cap has moved.
  private func moved(_ device: TruthfulDevice) async throws -> Int {
    let plan = try await device.client.send("GET", Reports.path(device.id, "/plan")).json
    return (plan["held"]?.array ?? []).count { $0["moves"]?.array?.isEmpty == false }
  }

  private func fatigue(_ device: TruthfulDevice) async throws -> [String] {
    try await device.history().compactMap { $0["fatigue"]?.string }.reversed()
  }

  @Test func capsAreLoweredAndComeBackByThemselves() async throws {
    try await withDevice { server, device in
      device.settings["sound"] = "disabled"
      device.settings["lockScreen"] = "disabled"
      let answer = try await device.sync()
      // All fires lie beyond it, and nothing waits: it must come back all the same.
      #expect(answer["refreshBy"]?.string == Reports.time(14 * Self.day))
      #expect(try await moved(device) == 2)
      #expect(try await device.show()["fatiguedAt"]?.string == Reports.time(0))
      #expect(try await fatigue(device) == ["degraded"])
      let metrics = try await server.admin.send("GET", "/metrics").text
      #expect(metrics.contains("carillon_device_fatigue_total{kind=\"degraded\"} 1\n"), "\(metrics)")

      server.clock.advance(seconds: 14 * Self.day - 1)
      #expect(try await device.sync().added == [])
      // Nobody says anything new: the time alone has come.
      server.clock.advance(seconds: 1)
      let recovered = try await device.sync()
      #expect(recovered.added.count == 2 && recovered["refreshBy"] ?? .null == .null)
      #expect(try await moved(device) == 0)
      // It has still lost both, and is not found tired again for that.
      try await device.sync()
      #expect(try await fatigue(device) == ["degraded"])
    }
  }

  /// What was told while notifications were denied is of that time: a report that only says that they are allowed
  /// again is no sign of fatigue. One that tells the settings is.
  @Test func settingsOfADenialAreNoSign() async throws {
    try await withDevice { server, device in
      let allowed = device.settings
      device.status = "denied"
      device.settings = allowed.mapValues { _ in "disabled" }
      try await device.sync()
      device.status = "authorized"
      device.settings = [:]
      try await device.sync()
      try await device.sync()
      #expect(try await fatigue(device) == [])
      #expect(try await device.show()["fatiguedAt"] == .null)
      device.settings = allowed
      try await device.sync()
      #expect(try await fatigue(device) == [])
      device.settings["sound"] = "disabled"
      device.settings["lockScreen"] = "disabled"
      try await device.sync()
      #expect(try await fatigue(device) == ["degraded"])
    }
  }

  @Test(arguments: ["sound", "lockScreen"]) func capsComeBackWithTheSettings(_ setting: String) async throws {
    try await withDevice { server, device in
      // In two steps, days apart.
      device.settings["lockScreen"] = "disabled"
      try await device.sync()
      #expect(try await fatigue(device) == [])
      server.clock.advance(seconds: 3 * Self.day)
      device.settings["sound"] = "disabled"
      try await device.sync()
      #expect(try await moved(device) == 2)
      server.clock.advance(seconds: Self.day)
      device.settings[setting] = "enabled"
      try await device.sync()
      #expect(try await moved(device) == 0)
      #expect(try await device.show()["fatiguedAt"] == .null)
      device.settings[setting] = "disabled"
      try await device.sync()
      #expect(try await moved(device) == 2)
      #expect(try await fatigue(device) == ["degraded", "recovered", "degraded"])
    }
  }

  enum NoSign: String, CaseIterable {
    case denied, neverHadBoth, provisional, notReported, unknownWords
  }

  @Test(arguments: NoSign.allCases) func whatIsNoSignOfFatigue(_ sign: NoSign) async throws {
    try await withTruthfulDevices(policy: Self.policy) { _, client in
      var device = TruthfulDevice(client)
      switch sign {
      case .denied: break
      case .neverHadBoth: device.settings["sound"] = "disabled"
      case .provisional:
        device.status = "provisional"
        device.settings["sound"] = "disabled"
        device.settings["lockScreen"] = "disabled"
      case .notReported: device.settings = [:]
      case .unknownWords: device.settings["sound"] = "muffled"
      }
      try await device.sync()
      device.settings["sound"] = "disabled"
      device.settings["lockScreen"] = "disabled"
      // A device whose user has left reports everything as disabled.
      if sign == .denied { device.status = "denied" }
      try await device.sync()
      #expect(try await fatigue(device) == [])
      #expect(try await device.show()["fatiguedAt"] == .null)
    }
  }

  /// What the user set, and types more important than the rule says, keep their caps.
  @Test func onlyTypesThatCanWaitAreLowered() async throws {
    let policy = Self.policy.replacing("\"types\":[\"promo\"]", with: "\"types\":[\"habit\"]")
    try await withTruthfulDevices(policy: policy) { _, client in
      var device = TruthfulDevice(client)
      try await device.sync(
        put: (0..<4).map { TruthfulDevice.put("habit.\($0)", at: Self.day + Int64($0) * 60) })
      device.settings["sound"] = "disabled"
      device.settings["lockScreen"] = "disabled"
      try await device.sync()
      #expect(try await fatigue(device) == ["degraded"])
      #expect(try await moved(device) == 0)
    }
  }
}
