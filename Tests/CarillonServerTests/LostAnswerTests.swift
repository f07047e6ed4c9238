import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// Of several plans that hold a request without a break, a device may have got any: the version that it says it applied
/// tells whether it had it, whichever of the answers were lost.
@Suite struct LostAnswerTests {
  private static let first = TruthfulDevice.put("first", at: 600, ",\"overdue\":\"deliverNow\"")
  private static let second = TruthfulDevice.put("second", at: 5_000)

  /// What makes another plan of it before the next report.
  enum Change: CaseIterable { case none, device, tenant, look }

  private func put(_ text: String, _ id: String, _ device: TruthfulDevice) async throws {
    let path = Reports.path(device.id, "/notifications/\(id)")
    #expect(try await device.client.send("PUT", path, body: text).status == 201)
  }

  private func look(_ device: TruthfulDevice) async throws {
    #expect(try await device.client.send("GET", Reports.path(device.id, "/plan")).status == 200)
  }

  /// The first answer is lost, and the next one brings what both hold. It rings, and does not come again.
  @Test(arguments: Change.allCases) func whatTheNextAnswerBroughtIsDelivered(_ change: Change) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync()
      try await device.sync(put: [Self.first], isLost: true)
      if [.tenant, .look].contains(change) { try await put(Self.second, "second", device) }
      if change == .look { try await look(device) }
      let answer = try await device.sync(put: change == .device ? [Self.second] : [])
      #expect(answer.added == (change == .none ? ["first"] : ["first", "second"]))
      server.clock.advance(seconds: 700)
      device.mirror.drop("first")
      if change == .look { try await look(device) }
      #expect(try await device.sync().added == [])
      #expect(try await device.outcomes() == ["first": "inferredDelivered"])
    }
  }

  /// So is the next one: then it never had it, and it comes late.
  @Test(arguments: Change.allCases) func whatNoAnswerBroughtComesLate(_ change: Change) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync()
      try await device.sync(put: [Self.first], isLost: true)
      if [.tenant, .look].contains(change) { try await put(Self.second, "second", device) }
      if change == .look { try await look(device) }
      try await device.sync(put: change == .device ? [Self.second] : [], isLost: true)
      server.clock.advance(seconds: 700)
      if change == .look { try await look(device) }
      #expect(try await device.sync().added.contains("first"))
    }
  }

  /// It was taken back, brought again and taken back once more, and the device heard nothing of all that.
  @Test func whatWasTakenBackTwiceRings() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync()
      #expect(try await device.sync(put: [Self.first]).added == ["first"])
      for isThere in [false, true, false] {
        if isThere {
          try await put(Self.first, "first", device)
        } else {
          let path = Reports.path(device.id, "/notifications/first")
          #expect(try await device.client.send("DELETE", path).status == 204)
        }
        try await device.sync(pending: .unsaid, isLost: true)
      }
      server.clock.advance(seconds: 700)
      device.mirror.drop("first")
      try await device.sync()
      #expect(try await device.outcomes() == ["first": "inferredDelivered"])
    }
  }
}
