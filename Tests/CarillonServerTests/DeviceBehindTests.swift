import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A device whose clock is behind rings what is due after it is due by ours: what it still holds is left to ring.
@Suite struct DeviceBehindTests {
  /// `a` is due at 60, and is still pending at 120.
  private func withPending(
    policy: String? = nil, _ more: String = "", others: [String] = [],
    _ body: (TestServer, inout TruthfulDevice) async throws -> Void
  ) async throws {
    try await withTruthfulDevices(policy: policy) { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("a", at: 60, more)] + others)
      try await device.sync()
      server.clock.advance(seconds: 120)
      try await body(server, &device)
    }
  }

  private func rows(_ device: TruthfulDevice) async throws -> [String] {
    try await device.deliveries().reversed().map { row in
      [row["notification"], row["at"], row["outcome"], row["reason"]].compactMap { $0?.string }
        .joined(separator: " ")
    }
  }

  @Test(arguments: ["", ",\"overdue\":\"deliverNow\""])
  func whatIsDueAndPendingIsLeftToRing(_ more: String) async throws {
    try await withPending(more) { server, device in
      for _ in 0..<3 {
        let answer = try await device.sync()
        #expect(answer.removed == [] && answer.added == [])
        #expect(try await rows(device) == ["a \(Reports.time(60)) open"])
        server.clock.advance(seconds: 120)
      }
      device.mirror.drop("a")
      #expect(try await device.sync().added == [])
      #expect(try await rows(device) == ["a \(Reports.time(60)) inferredDelivered"])
      server.clock.advance(seconds: 2 * 86_400)
      #expect(try await device.sync().added == [])
      #expect(try await rows(device) == ["a \(Reports.time(60)) inferredDelivered"])
      #expect(try await device.show()["drift"]?["dropped"]?.int == 0)
      let inbox = try await device.client.send("GET", Reports.path(device.id, "/inbox?state=all"))
      #expect(inbox.json["items"]?.array?.count == 1)
    }
  }

  @Test func aTapProvesIt() async throws {
    try await withPending { server, device in
      try await device.sync()
      server.clock.advance(seconds: 600)
      device.mirror.drop("a")
      try await device.sync(events: [device.event("tapped", "a", at: Reports.start.adding(seconds: 61))])
      #expect(try await rows(device) == ["a \(Reports.time(60)) delivered"])
    }
  }

  /// A plan that is asked for says what a report is answered.
  @Test func aPlanThatIsAskedForLeavesItToRing() async throws {
    let others = [TruthfulDevice.put("n1", at: 3_600)]
    try await withPending(policy: "{\"slots\":1}", others: others) { server, device in
      var versions: Set<Int> = []
      for _ in 0..<3 {
        let answer = try await device.sync()
        #expect(answer.removed == [] && answer.added == [])
        let plan = try await device.client.send("GET", Reports.path(device.id, "/plan")).json
        #expect(plan["diff"]?["remove"]?.array == [] && plan["diff"]?["add"]?.array == [])
        #expect(plan["held"]?.array == [])
        versions.formUnion([answer["planVersion"]?.int, plan["version"]?.int].compactMap { $0 })
        #expect(try await rows(device) == ["a \(Reports.time(60)) open"])
        server.clock.advance(seconds: 60)
      }
      #expect(versions.count == 1)
    }
  }

  /// It takes a slot until it is gone: a device never holds more than there are.
  @Test func itTakesASlot() async throws {
    let others = (1...3).map { TruthfulDevice.put("n\($0)", at: Int64($0) * 3_600) }
    try await withPending(policy: "{\"slots\":2}", others: others) { server, device in
      #expect(device.mirror.held.keys.sorted() == ["a", "n1"])
      let answer = try await device.sync()
      #expect(answer.removed == [] && answer.added == [])
      device.mirror.drop("a")
      #expect(try await device.sync().added == ["n2"])
      #expect(device.mirror.peak == 2)
    }
  }

  @Test func aRepeatedReportIsAnsweredTheSame() async throws {
    try await withPending(",\"overdue\":\"deliverNow\"") { server, device in
      for number in [nil, 3, 3] {
        let answer = try await device.sync(isLost: true, sequence: number)
        #expect(answer.removed == [] && answer.added == [])
      }
      #expect(try await rows(device) == ["a \(Reports.time(60)) open"])
    }
  }

  @Test func afterADayItIsTakenBack() async throws {
    try await withPending { server, device in
      let first = try await device.sync()
      #expect(first.removed == [])
      server.clock.advance(seconds: 86_400 - 61)
      #expect(try await device.sync().removed == [])
      server.clock.advance(seconds: 1)
      #expect(try await device.sync().removed == ["a"])
      #expect(try await rows(device) == ["a \(Reports.time(60)) missed takenBack"])
      server.clock.advance(seconds: 60)
      #expect(try await device.sync().added == [])
      #expect(try await rows(device) == ["a \(Reports.time(60)) missed takenBack"])
    }
  }

  enum End: String, CaseIterable { case cancelled, changed, put, denied, unreachable }

  /// Whatever else takes it back does so as ever, and it is not written down as delivered.
  @Test(arguments: End.allCases, [false, true])
  func whatIsNotWantedAnyMoreIsTakenBack(_ end: End, _ wasLeft: Bool) async throws {
    try await withPending { server, device in
      if wasLeft {
        try await device.sync()
        server.clock.advance(seconds: 60)
      }
      let answer: JSONValue
      switch end {
      case .cancelled: answer = try await device.sync(cancel: ["a"])
      case .changed: answer = try await device.sync(put: [TruthfulDevice.put("a", at: 50)])
      case .put:
        let body = TruthfulDevice.put("a", at: 40)
        let put = try await device.client.send("PUT", Reports.path(device.id, "/notifications/a"), body: body)
        try #require(put.status == 200)
        answer = try await device.sync()
      case .denied:
        device.status = "denied"
        answer = try await device.sync()
      case .unreachable:
        for name in device.settings.keys { device.settings[name] = "disabled" }
        answer = try await device.sync()
      }
      #expect(answer.removed == ["a"])
      try await device.sync()
      let outcome = end == .denied ? "suppressed" : "missed takenBack"
      let found = try await rows(device).filter { $0.hasPrefix("a \(Reports.time(60))") }
      #expect(found == ["a \(Reports.time(60)) \(outcome)"])
    }
  }

  /// Put anew for a time to come, the new one replaces it.
  @Test func aNewWishReplacesIt() async throws {
    try await withPending { server, device in
      try await device.sync()
      #expect(try await device.sync(put: [TruthfulDevice.put("a", at: 6_000)]).added == ["a"])
      #expect(try await rows(device) == ["a \(Reports.time(60)) missed takenBack"])
      server.clock.advance(seconds: 6_000)
      device.mirror.drop("a")
      try await device.sync()
      #expect(
        try await rows(device) == [
          "a \(Reports.time(60)) missed takenBack", "a \(Reports.time(6_000)) inferredDelivered",
        ])
    }
  }
}
