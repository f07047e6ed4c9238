import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// What a device holds against what it should hold, counted where neither time nor we ourselves explain it.
@Suite struct DriftTests {
  /// A device that holds a, b and c, has said so, and has been found in order.
  private func withDevice(
    policy: String? = nil, _ body: (TestServer, inout TruthfulDevice) async throws -> Void
  ) async throws {
    try await withTruthfulDevices(policy: policy) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: ["a", "b", "c"].map { TruthfulDevice.put($0, at: 6000) })
      try await device.sync()
      #expect(try await drift(device) == [0, 0, 0])
      try await body(server, &device)
    }
  }

  private func drift(_ device: TruthfulDevice) async throws -> [Int?] {
    let drift = try await device.show()["drift"]
    return ["dropped", "unplanned", "altered"].map { drift?[$0]?.int }
  }

  @Test func whatWasDroppedIsCountedOnceAndHealed() async throws {
    try await withDevice { server, device in
      device.mirror.drop("a")
      device.mirror.drop("b")
      var lost = device
      #expect(try await lost.sync(isLost: true).added == ["a", "b"])
      #expect(try await drift(device) == [2, 0, 0])
      // Its answer was lost: the same is missing once more, and was counted.
      device = lost
      #expect(try await device.sync().added == ["a", "b"])
      #expect(try await drift(device) == [2, 0, 0])
      try await device.sync()
      #expect(device.mirror.held.count == 3)
      #expect(try await device.show()["drift"]?["lastAt"]?.string == Reports.time(0))
      let metrics = try await server.admin.send("GET", "/metrics").text
      #expect(metrics.contains("carillon_device_drift_total{kind=\"dropped\"} 2\n"), "\(metrics)")
    }
  }

  @Test func whatNobodyPlannedIsCountedOnceAndRemoved() async throws {
    try await withDevice { _, device in
      device.mirror.add("stray", revision: "0123456789abcdef")
      #expect(try await device.sync(isLost: true).removed == ["stray"])
      #expect(try await drift(device) == [0, 1, 0])
      #expect(try await device.sync().removed == ["stray"])
      try await device.sync()
      #expect(try await drift(device) == [0, 1, 0])
    }
  }

  @Test func anotherRevisionIsCountedOnceAndReplaced() async throws {
    try await withDevice { _, device in
      device.mirror.add("a", revision: "0123456789abcdef")
      #expect(try await device.sync(isLost: true).added == ["a"])
      #expect(try await drift(device) == [0, 0, 1])
      #expect(try await device.sync().added == ["a"])
      try await device.sync()
      #expect(try await drift(device) == [0, 0, 1])
    }
  }

  enum Harmless: CaseIterable {
    case fired, firedByAFastClock, firedElsewhere, removedByUs, addLost, changeLost, cancelledByItself,
      putByItself,
      toldAsDelivered, halfApplied
  }

  @Test(arguments: Harmless.allCases) func whatHasAReasonIsNoDrift(_ reason: Harmless) async throws {
    try await withDevice { server, device in
      switch reason {
      case .fired:
        server.clock.advance(seconds: 6000)
        for id in ["a", "b", "c"] { device.mirror.drop(id) }
        try await device.sync()
      case .firedByAFastClock:
        // Ten minutes ahead.
        server.clock.advance(seconds: 5500)
        device.more = ",\"sentAt\":\"\(Reports.time(6100))\""
        for id in ["a", "b", "c"] { device.mirror.drop(id) }
        try await device.sync()
      case .firedElsewhere:
        let local = """
          {"id":"w","content":{"title":"Hello"},"trigger":{"kind":"local","at":"2026-11-30T08:00"}}
          """
        try await device.sync(put: [local])
        try await device.sync()
        // It is four o'clock in Istanbul, and past eight in Tokyo.
        device.zone = "Asia/Tokyo"
        device.mirror.drop("w")
        try await device.sync()
      case .removedByUs:
        _ = try await device.client.send("DELETE", Reports.path(device.id, "/notifications/a"))
        #expect(try await device.sync().removed == ["a"])
        try await device.sync()
      case .addLost:
        try await device.sync(put: [TruthfulDevice.put("d", at: 6000)], isLost: true)
        #expect(try await device.sync().added == ["d"])
      case .changeLost:
        try await device.sync(put: [TruthfulDevice.put("a", at: 7000)], isLost: true)
        #expect(try await device.sync().added == ["a"])
      case .cancelledByItself:
        device.mirror.drop("a")
        try await device.sync(cancel: ["a"])
      case .putByItself:
        device.mirror.add("d", revision: "0123456789abcdef")
        try await device.sync(put: [TruthfulDevice.put("d", at: 6000)])
      case .toldAsDelivered:
        device.mirror.drop("a")
        try await device.sync(delivered: ["a"])
      case .halfApplied:
        // The app was ended between the removes and the adds of an answer.
        _ = try await device.client.send("DELETE", Reports.path(device.id, "/notifications/a"))
        try await device.sync(put: [TruthfulDevice.put("d", at: 6000)], isLost: true)
        device.mirror.drop("a")
        try await device.sync()
      }
      #expect(try await drift(device) == [0, 0, 0], "\(reason)")
    }
  }

  /// It says that it has applied the plan, and yet something is not there: iOS took it and let it fall.
  @Test func whatWasNeverShownIsFoundOutByThePlanVersion() async throws {
    try await withDevice { _, device in
      try await device.sync(put: [TruthfulDevice.put("d", at: 6000)])
      device.mirror.drop("d")
      try await device.sync(isLost: true)
      try await device.sync(isLost: true)
      #expect(try await drift(device) == [1, 0, 0])
    }
  }

  /// More than iOS holds: our requests push each other out, and each is found.
  @Test func thoseThatWerePushedOutAreCounted() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      let ids = (0..<64).map { "n\($0)" }
      try await device.sync(put: ids.map { TruthfulDevice.put($0, at: 86_400) })
      try await device.sync()
      for id in ids.suffix(10) { device.mirror.drop(id) }
      try await device.sync(foreign: 10)
      #expect(try await drift(device) == [10, 0, 0])
    }
  }
}
