import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// What a report seems to say, and does not: nothing is taken for a delivery that may as well be none.
@Suite struct DoubtfulReportTests {
  private func inbox(_ device: TruthfulDevice) async throws -> [JSONValue] {
    let answer = try await device.client.send("GET", Reports.path(device.id, "/inbox?state=all"))
    return answer.json["items"]?.array ?? []
  }

  /// `dueAt outcome` of each occurrence, oldest first.
  private func rows(_ device: TruthfulDevice) async throws -> [String] {
    try await device.deliveries().reversed().map { row in
      let at = row["at"]?.string.flatMap { Instant($0) }.map {
        ($0.milliseconds - Reports.start.milliseconds) / 1000
      }
      return "\(at ?? 0) \(row["outcome"]?.string ?? "")"
    }
  }

  enum Newer: CaseIterable { case repeatedReport, askedPlan }

  /// The answer with the request is lost; the next plan reaches the device when the time has passed, without it.
  @Test(arguments: Newer.allCases) func aPlanThatCameTooLateProvesNothing(_ newer: Newer) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync()
      let put = [TruthfulDevice.put("a", at: 600)]
      try await device.sync(put: put, isLost: true)
      server.clock.advance(seconds: 700)
      try await take(newer, put: put, &device)
      try await device.sync()
      #expect(try await rows(device) == ["600 missed"])
      #expect(try await inbox(device).map { $0["outcome"]?.string } == ["missed"])
    }
  }

  /// But it had said before that it applied the plan with the request.
  @Test(arguments: Newer.allCases) func aPlanThatWasAppliedInTimeIsRemembered(_ newer: Newer) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("a", at: 600)])
      let cancel = ["nothing"]
      try await device.sync(cancel: cancel, pending: .unsaid)
      server.clock.advance(seconds: 700)
      device.mirror.drop("a")
      if newer == .askedPlan { try await take(newer, &device) }
      try await device.sync()
      #expect(try await rows(device) == ["600 inferredDelivered"])
    }
  }

  private func take(_ newer: Newer, put: [String] = [], _ device: inout TruthfulDevice) async throws {
    switch newer {
    case .repeatedReport:
      let answer = try await device.sync(put: put, sequence: 2)
      #expect(answer["stale"]?.bool == true && answer.added == [])
      device.planVersion = answer["planVersion"]?.int
    case .askedPlan:
      let plan = try await device.client.send("GET", Reports.path(device.id, "/plan"))
      device.planVersion = plan.json["version"]?.int
    }
  }

  /// What a device that asks for its plan by itself lives by when it next reports.
  enum Lives: CaseIterable {
    /// The plan it asked for, with which nobody can know what it lived by before.
    case byThatPlan
    /// The one before, as that answer never came.
    case byThePlanBefore
    /// None of those.
    case byNone
  }

  /// The time has passed when the device asks: what it held by then only it knows, and it need not tell.
  @Test(arguments: Lives.allCases) func aPlanThatTheDeviceAskedForLeavesOpenWhatItHeld(_ lives: Lives)
    async throws
  {
    try await TestServer.with(loops: 1) { server in
      let tenant = try await server.makeTenant()
      var device = TruthfulDevice(server.client(tenant))
      try await device.sync()
      let none = device.planVersion
      try await device.sync(put: [TruthfulDevice.put("a", at: 600)])
      server.clock.advance(seconds: 700)
      let own = try await server.client(tenant, device: device.id)
      let plan = try await own.send("GET", Reports.path(device.id, "/plan"))
      #expect(plan.json["held"]?.array?.isEmpty == true, "\(plan)")
      device.mirror.drop("a")
      switch lives {
      case .byThatPlan: device.planVersion = plan.json["version"]?.int
      case .byThePlanBefore: break
      case .byNone: device.planVersion = none
      }
      let version = device.planVersion
      for _ in 1...2 {
        device.planVersion = version
        try await device.sync()
        switch lives {
        case .byThatPlan: #expect(try await rows(device) == ["600 open"])
        case .byThePlanBefore: #expect(try await rows(device) == ["600 inferredDelivered"])
        case .byNone: #expect(try await rows(device) == ["600 missed"])
        }
      }
      guard lives == .byThatPlan else { return }
      let row = try #require(try await device.deliveries().first)
      #expect(row["reason"] == "untold" && row["settledAt"] == .null)
      #expect(try await inbox(device).map { $0["outcome"]?.string } == ["open"])
      let story = try await own.send("GET", Reports.path(device.id, "/plan/explain?notification=a")).json
      #expect(story["state"] == "expired" && story["reason"] == "untold", "\(story)")
      // The user's tap proves it.
      try await device.sync(events: [device.event("tapped", "a", at: Reports.start.adding(seconds: 650))])
      let told = try #require(try await device.deliveries().first)
      #expect(told["outcome"] == "delivered" && told["reason"] == .null)
      #expect(try await inbox(device).map { $0["outcome"]?.string } == ["delivered"])
    }
  }

  /// A tap that waited in the outbox is of the occurrence before; a repeated one is of none.
  @Test(arguments: ["tapped", "dismissed", "delivered"])
  func whatIsToldLateIsOfItsOwnOccurrence(_ kind: String) async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      let hourly = """
        {"id":"h","content":{"title":"Hello"},"trigger":{"kind":"interval","seconds":3600,"repeats":true}}
        """
      try await device.sync(put: [hourly])
      try await device.sync()
      server.clock.advance(seconds: 3_700)
      try await device.sync()
      #expect(try await rows(device) == ["3600 inferredDelivered"])
      device.mirror.drop("h")
      try await device.sync(isLost: true)
      server.clock.advance(seconds: 3_600)
      let event = device.event(kind, "h", at: Reports.start.adding(seconds: 3_650))
      try await device.sync(events: [event, event], isLost: true)
      #expect(try await rows(device) == ["3600 delivered", "7200 removedOnDevice"])
      server.clock.advance(seconds: 3_600)
      try await device.sync(events: [event], isLost: true)
      #expect(try await rows(device) == ["3600 delivered", "7200 removedOnDevice", "10800 removedOnDevice"])
    }
  }

  @Test func anotherTextTakesNoDeliveryBack() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      let put = TruthfulDevice.put("a", at: 600)
      try await device.sync(put: [put])
      try await device.sync()
      server.clock.advance(seconds: 700)
      device.mirror.drop("a")
      try await device.sync(events: [device.event("tapped", "a", at: Reports.start.adding(seconds: 650))])
      for text in ["Other", "Another"] {
        try await device.sync(put: [put.replacing("Hello", with: text)])
        try await device.sync()
        #expect(try await rows(device) == ["600 delivered"])
        #expect(try await inbox(device).map { $0["outcome"]?.string } == ["delivered"])
      }
    }
  }

  @Test func anIdThatIsUsedAgainIsJudgedAnew() async throws {
    try await withTruthfulDevices { server, client in
      var device = TruthfulDevice(client)
      try await device.sync(put: [TruthfulDevice.put("a", at: 600)])
      try await device.sync()
      server.clock.advance(seconds: 700)
      device.mirror.drop("a")
      try await device.sync()
      try await device.sync()
      for id in ["a", "b"] {
        let path = Reports.path(device.id, "/notifications/\(id)")
        let put = try await client.send("PUT", path, body: TruthfulDevice.put(id, at: 1_100))
        #expect((200...201).contains(put.status), "\(put)")
      }
      server.clock.advance(seconds: 500)
      try await device.sync()
      let told = try await device.deliveries().prefix(2).map {
        [$0["notification"], $0["outcome"], $0["reason"]].map { $0?.string }
      }
      #expect(Set(told) == [["a", "missed", "unplanned"], ["b", "missed", "unplanned"]])
    }
  }

  /// An empty key says as much as none: it does not make the phone forget its own.
  @Test func anEmptyKeyIsNoKey() async throws {
    try await withTruthfulDevices { _, client in
      let path = Reports.path(Reports.newDevice())
      func report(_ sequence: Int, _ key: String) async throws -> JSONValue {
        try await client.send(
          "POST", path,
          body: "{\"sequence\":\(sequence),\"device\":{\"deviceKey\":\"\(key)\"},\"pending\":[]}"
        ).json
      }
      let (first, empty) = (try await report(50, "k1"), try await report(51, ""))
      #expect(first["deviceId"] == nil && empty["deviceId"] == nil)
      let (copy, own) = (try await report(3, "k2"), try await report(52, "k1"))
      #expect(copy["deviceId"]?.string != nil && own["stale"] == nil)
    }
  }
}
