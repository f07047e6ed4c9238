import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// What a device has delivered counts for caps and is not delivered twice. The clock stands still unless it is moved;
/// it starts at 03:53:20 in Istanbul, where the devices are.
@Suite struct DeliveryTests {
  /// A device that syncs as its app would.
  private struct Device {
    let client: HTTPTestClient
    let id = Reports.newDevice()
    var mirror = DeviceMirror()
    /// Of the plan it applied last; nil says nothing about it.
    var planVersion: Int?
    var more = ""
    private var sequence = 0

    init(_ client: HTTPTestClient) { self.client = client }

    /// - Parameter isLost: whether the answer never reaches the device.
    mutating func sync(
      put: [String] = [], cancel: [String] = [], isLost: Bool = false
    ) async throws -> JSONValue {
      sequence += 1
      var extra = more + ",\"put\":[\(put.joined(separator: ","))]"
      extra += ",\"cancel\":[\(cancel.map { "\"\($0)\"" }.joined(separator: ","))]"
      if let planVersion { extra += ",\"planVersion\":\(planVersion)" }
      let answer = try await client.send(
        "POST", Reports.path(id),
        body: Reports.full(sequence: sequence, pending: mirror.pending, extra: extra))
      try #require(answer.status == 200, "\(answer)")
      if !isLost {
        mirror.apply(answer.json)
        if planVersion != nil { planVersion = answer.json["planVersion"]?.int }
      }
      return answer.json
    }

    func plan() async throws -> JSONValue { try await client.send("GET", Reports.path(id, "/plan")).json }

    /// Requests ring and leave what is pending.
    mutating func ring(_ ids: String...) {
      for id in ids { mirror.drop(id) }
    }
  }

  private static func put(_ id: String, at seconds: Int64, _ more: String = "") -> String {
    """
    {"id":"\(id)","content":{"title":"Hello"},"trigger":{"kind":"instant","at":"\(Reports.time(seconds))"}\(more)}
    """
  }

  private static let late = ",\"overdue\":\"deliverNow\""

  private func withDevice(
    policy: String? = nil, _ body: (TestServer, inout Device) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      if let policy {
        let put = try await client.send("PUT", "/v1/policy", body: policy)
        try #require(put.status == 200, "\(put)")
      }
      var device = Device(client)
      try await body(server, &device)
    }
  }

  private func fires(_ json: JSONValue, _ part: String = "held") -> [String: String] {
    let items = json[part]?.array ?? json["diff"]?["add"]?.array ?? []
    return Dictionary(
      uniqueKeysWithValues: items.map { ($0["id"]?.string ?? "", $0["fireAt"]?.string ?? "") })
  }

  // MARK: Caps

  enum Knowledge: CaseIterable { case reportedPending, toldPlanVersion, inNotificationCenter }

  @Test(arguments: Knowledge.allCases)
  func deliveriesMadeCountForACap(_ knowledge: Knowledge) async throws {
    try await withDevice(policy: #"{"frequencyCaps":[{"limit":3,"per":3600}]}"#) { server, device in
      if knowledge == .toldPlanVersion { device.planVersion = 0 }
      let first = try await device.sync(put: (1...3).map { Self.put("a\($0)", at: Int64($0) * 60) })
      #expect(first.added == ["a1", "a2", "a3"])
      if knowledge == .reportedPending { _ = try await device.sync() }
      server.clock.advance(seconds: 600)
      device.ring("a1", "a2", "a3")
      if knowledge == .inNotificationCenter { device.more = #","delivered":["a3","a1","a2"]"# }
      let fourth = try await device.sync(put: [Self.put("a4", at: 660)])
      #expect(fires(fourth) == ["a4": Reports.time(60 + 3600)])
      // And there it stays.
      for _ in 1...3 {
        #expect(try await device.sync().added == [])
        #expect(fires(try await device.plan()) == ["a4": Reports.time(60 + 3600)])
        server.clock.advance(seconds: 600)
      }
    }
  }

  @Test func whatNeverReachedTheDeviceCountsForNothing() async throws {
    try await withDevice(policy: #"{"frequencyCaps":[{"limit":1,"per":3600}]}"#) { server, device in
      device.planVersion = 0
      _ = try await device.sync(put: [Self.put("a", at: 60)], isLost: true)
      server.clock.advance(seconds: 600)
      #expect(fires(try await device.sync(put: [Self.put("b", at: 660)])) == ["b": Reports.time(660)])
    }
  }

  /// Notification Center shows the same one for days.
  @Test func aDeliveryCountsOnceHoweverOftenItIsTold() async throws {
    try await withDevice(policy: #"{"frequencyCaps":[{"limit":2,"per":3600}]}"#) { server, device in
      _ = try await device.sync(put: [Self.put("a", at: 60)])
      server.clock.advance(seconds: 120)
      device.ring("a")
      device.more = #","delivered":["a"]"#
      for _ in 1...3 {
        _ = try await device.sync()
        server.clock.advance(seconds: 10)
      }
      #expect(fires(try await device.sync(put: [Self.put("b", at: 300)])) == ["b": Reports.time(300)])
      #expect(fires(try await device.sync(put: [Self.put("c", at: 301)])) == ["c": Reports.time(3660)])
    }
  }

  @Test func eachFireOfARepeatingRequestCounts() async throws {
    try await withDevice(policy: #"{"frequencyCaps":[{"limit":3,"per":3600}]}"#) { server, device in
      let repeating = """
        {"id":"r","content":{"title":"Hello"},"trigger":{"kind":"interval","seconds":600,"repeats":true}}
        """
      _ = try await device.sync(put: [repeating])
      _ = try await device.sync()
      server.clock.advance(seconds: 1250)
      _ = try await device.sync()
      server.clock.advance(seconds: 600)
      // It has rung at 600, 1200 and 1800, and is cancelled.
      let answer = try await device.sync(put: [Self.put("a", at: 1900)], cancel: ["r"])
      #expect(fires(answer) == ["a": Reports.time(600 + 3600)])
    }
  }

  /// A plan that is asked for before the device has reported presumes that what it had has rung.
  @Test func aPlanThatIsAskedForInBetweenCountsWhatMustHaveRung() async throws {
    try await withDevice(policy: #"{"frequencyCaps":[{"limit":1,"per":3600}]}"#) { server, device in
      _ = try await device.sync(put: [Self.put("a", at: 60), Self.put("lost", at: 7000)])
      device.mirror.drop("lost")
      _ = try await device.sync(isLost: true)
      server.clock.advance(seconds: 120)
      let put = try await device.client.send(
        "PUT", Reports.path(device.id, "/notifications/b"), body: Self.put("b", at: 180))
      #expect(put.status == 201)
      #expect(fires(try await device.plan())["b"] == Reports.time(3660))
      device.ring("a")
      #expect(fires(try await device.sync())["b"] == Reports.time(3660))
    }
  }

  // MARK: Overdue

  @Test(arguments: [true, false])
  func whatIsOverdueIsDeliveredOnce(_ tellsVersion: Bool) async throws {
    try await withDevice { server, device in
      if tellsVersion { device.planVersion = 0 }
      let first = try await device.sync(put: [Self.put("a", at: -3600, Self.late)])
      #expect(fires(first) == ["a": Reports.time(1)])
      if !tellsVersion { _ = try await device.sync() }
      for _ in 1...3 {
        server.clock.advance(seconds: 60)
        device.ring("a")
        let next = try await device.sync()
        #expect(next.added == [] && next.removed == [])
        #expect(try await device.plan()["expired"]?.array?.map { $0["id"]?.string } == ["a"])
      }
      // Put again for another time, it is another wish.
      let again = try await device.sync(put: [Self.put("a", at: 240, Self.late)])
      #expect(fires(again) == ["a": Reports.time(240)])
    }
  }

  @Test func whatIsOverdueIsDeliveredAgainWhenTheAnswerWasLost() async throws {
    try await withDevice { server, device in
      device.planVersion = 0
      #expect(
        fires(try await device.sync(put: [Self.put("a", at: -3600, Self.late)], isLost: true)) == [
          "a": Reports.time(1)
        ])
      for minute in 1...2 as ClosedRange<Int64> {
        server.clock.advance(seconds: 60)
        // The older one of this id still stands there: no proof that the new one was delivered.
        device.more = #","delivered":["a"]"#
        let again = try await device.sync(isLost: minute == 1)
        #expect(fires(again) == ["a": Reports.time(minute * 60 + 1)])
      }
      server.clock.advance(seconds: 60)
      device.ring("a")
      #expect(try await device.sync().added == [])
    }
  }

  // MARK: Quiet hours

  @Test(arguments: ["", late])
  func whatWasMovedSurvivesItsWishAndIsNotRepeated(_ overdue: String) async throws {
    let policy = #"{"quietHours":{"windows":[{"from":"22:00","to":"07:30"}]}}"#
    try await withDevice(policy: policy) { server, device in
      let first = try await device.sync(put: [Self.put("a", at: 600, overdue)])
      let moved = try #require(fires(first)["a"])
      #expect(moved == "2026-11-30T04:30:00Z")
      for _ in 1...3 {
        #expect(try await device.sync().added == [])
        server.clock.advance(seconds: 3600)
        let between = try await device.sync()
        #expect(between.added == [] && between.removed == [])
        #expect(fires(try await device.plan()) == ["a": moved])
      }
      server.clock.advance(seconds: 3600)
      device.ring("a")
      for _ in 1...2 {
        let after = try await device.sync()
        #expect(after.added == [] && after.removed == [])
        #expect(try await device.plan()["expired"]?.array?.count == 1)
        server.clock.advance(seconds: 3 * 86_400)
      }
    }
  }

  @Test func aDigestThatWasDeliveredIsNotRepeated() async throws {
    let policy = """
      {"quietHours":{"windows":[{"from":"22:00","to":"07:30"}]},
       "types":[{"name":"news","prefixes":["news."],"priority":1,"digest":true}]}
      """
    try await withDevice(policy: policy) { server, device in
      let group = ",\"group\":\"g\"" + Self.late
      let first = try await device.sync(
        put: (1...3).map { Self.put("news.\($0)", at: Int64($0) * 600, group) })
      let digest = try #require(first.added.first)
      #expect(first.added.count == 1 && digest.hasPrefix("digest.g@"))
      _ = try await device.sync()
      server.clock.advance(seconds: 5 * 3600)
      device.ring(digest)
      for _ in 1...3 {
        let after = try await device.sync()
        #expect(after.added == [] && after.removed == [])
        server.clock.advance(seconds: 2 * 86_400)
      }
    }
  }

  /// A cap that is blocked by what came later would move it to a time that is still to come.
  @Test func whatAPlanCalledExpiredNeverComesBack() async throws {
    try await withDevice(policy: #"{"frequencyCaps":[{"limit":1,"per":20000}]}"#) { server, device in
      device.planVersion = 0
      _ = try await device.sync(put: [Self.put("a", at: 100), Self.put("b", at: 10_000)], isLost: true)
      server.clock.advance(seconds: 200)
      #expect(fires(try await device.sync()) == ["b": Reports.time(10_000)])
      #expect(fires(try await device.plan(), "expired") == ["a": Reports.time(100)])
      _ = try await device.sync()
      server.clock.advance(seconds: 9_850)
      device.ring("b")
      #expect(try await device.sync().added == [])
      #expect(fires(try await device.plan(), "expired")["a"] == Reports.time(100))
      // Put again, it is another wish.
      let again = try await device.sync(put: [Self.put("a", at: 40_000)])
      #expect(fires(again) == ["a": Reports.time(40_000)])
    }
  }

  // MARK: Damage

  @Test(arguments: ["deliveries = 'x'", "document = 'x'"])
  func aPlanThatCannotBeReadIsAnErrorOfOursAndChangesNothing(_ damage: String) async throws {
    try await withDevice { server, device in
      _ = try await device.sync(put: [Self.put("a", at: 60)])
      _ = try await server.database.column("UPDATE carillon.plans SET \(damage)")
      let rows = "SELECT t::text FROM carillon.plans AS t"
      let before = try await server.database.column(rows)
      server.clock.advance(seconds: 120)
      let answer = try await device.client.send(
        "POST", Reports.path(device.id), body: Reports.full(sequence: 9))
      #expect(answer.status == 500 && answer.json["code"] == "internalError")
      #expect(!answer.text.contains("SELECT"))
      #expect(try await server.database.column(rows) == before)
    }
  }

  // MARK: At once

  /// Case 30 B: whoever comes first, no two are placed closer than the cap allows.
  @Test func parallelWritersNeverPlaceTwoTooClose() async throws {
    try await withDevice(policy: #"{"frequencyCaps":[{"limit":1,"per":60}]}"#) { server, device in
      _ = try await device.sync()
      let (client, id) = (device.client, device.id)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<20 {
          group.addTask {
            let put = Self.put("n\(number)", at: 600)
            let answer =
              number.isMultiple(of: 2)
              ? try await client.send("PUT", Reports.path(id, "/notifications/n\(number)"), body: put)
              : try await client.send(
                "POST", Reports.path(id),
                body: Reports.full(sequence: 100 + number, extra: ",\"put\":[\(put)]"))
            return answer.status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.allSatisfy { [200, 201].contains($0) }, "\(statuses)")
      let plan = try await device.plan()
      let times = (plan["held"]?.array ?? []).compactMap { $0["fireAt"]?.string.flatMap { Instant($0) } }
      // A sync that another one overtook is stale, and its put is not taken; each direct put is.
      #expect(times.count >= 11 && times.count <= 20)
      for (earlier, later) in zip(times, times.dropFirst()) {
        #expect(later.milliseconds - earlier.milliseconds >= 60_000)
      }
      #expect(times.first == Instant(Reports.time(600)))
    }
  }
}
