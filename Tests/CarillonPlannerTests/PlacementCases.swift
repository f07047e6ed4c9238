import CarillonModel
import CarillonPlanner
import Testing

/// Where quiet hours and caps let a request ring: the field cases about windows, caps and digests.
@Suite struct PlacementCases {
  private static func policy(quiet windows: [(String, String)] = [], caps: [FrequencyCap] = []) -> Policy {
    func secondOfDay(_ text: String) -> Int {
      let numbers = text.split(separator: ":").compactMap { Int($0) }
      return numbers[0] * 3600 + numbers[1] * 60
    }
    var policy = Policy()
    policy.types = [NotificationType(name: "n", prefixes: ["n"], priority: 1)]
    if !windows.isEmpty {
      var quiet = QuietHours()
      quiet.windows = windows.map { QuietWindow(from: secondOfDay($0.0), to: secondOfDay($0.1)) }
      policy.quietHours = quiet
    }
    policy.frequencyCaps = caps
    return policy
  }

  private static func fire(
    _ policy: Policy, zone: String, now: String, wish: String, history: [String] = []
  ) -> Instant? {
    var input = PlanInput.test(
      now: now, zone: zone, policy: policy, queue: [.test("n", .instant(instant(wish)))])
    input.history = history.enumerated().map { number, at in
      PastDelivery(id: NotificationID(unchecked: "past\(number)"), type: "n", at: instant(at))
    }
    return input.planned().plan.held.first?.fireAt
  }

  struct Window: CustomTestStringConvertible, Sendable {
    var name: String
    var zone = "UTC"
    var from: String
    var to: String
    var now: String
    var wish: String
    var fire: String
    var testDescription: String { name }
  }

  static let windows: [Window] = [
    Window(
      name: "27 after midnight", zone: "Europe/Brussels", from: "21:00", to: "07:00",
      now: "2020-12-19T12:00Z", wish: "2020-12-19T23:30Z", fire: "2020-12-20T06:00Z"),
    Window(
      name: "27 the start is quiet", zone: "Europe/Brussels", from: "21:00", to: "07:00",
      now: "2020-12-19T12:00Z", wish: "2020-12-19T20:00Z", fire: "2020-12-20T06:00Z"),
    Window(
      name: "27 the end is not", zone: "Europe/Brussels", from: "21:00", to: "07:00",
      now: "2020-12-19T12:00Z", wish: "2020-12-20T06:00Z", fire: "2020-12-20T06:00Z"),
    Window(
      name: "27 a minute's opening, before it", from: "02:00", to: "01:59", now: "2020-12-19T00:00Z",
      wish: "2020-12-19T01:58:59Z", fire: "2020-12-19T01:59Z"),
    Window(
      name: "27 a minute's opening, in it", from: "02:00", to: "01:59", now: "2020-12-19T00:00Z",
      wish: "2020-12-19T01:59Z", fire: "2020-12-19T01:59Z"),
    Window(
      name: "31A released at the end", from: "22:00", to: "08:00", now: "2026-08-08T12:00Z",
      wish: "2026-08-08T23:00Z", fire: "2026-08-09T08:00Z"),
    Window(
      name: "an end in a gap is the jump", zone: "Europe/Zurich", from: "22:00", to: "02:30",
      now: "2022-03-26T12:00Z", wish: "2022-03-26T23:00Z", fire: "2022-03-27T01:00Z"),
    Window(
      name: "a window inside a gap is empty", zone: "Europe/Zurich", from: "02:10", to: "02:50",
      now: "2022-03-26T12:00Z", wish: "2022-03-27T01:20Z", fire: "2022-03-27T01:20Z"),
    Window(
      name: "an overlap does not split the night", zone: "Europe/Zurich", from: "22:00", to: "02:30",
      now: "2022-10-29T12:00Z", wish: "2022-10-30T00:40Z", fire: "2022-10-30T01:30Z"),
  ]

  @Test(arguments: windows) func quiet(_ row: Window) {
    let policy = Self.policy(quiet: [(row.from, row.to)])
    #expect(
      Self.fire(policy, zone: row.zone, now: row.now, wish: row.wish) == instant(row.fire))
  }

  @Test("adjacent windows chain") func chained() {
    let policy = Self.policy(quiet: [("22:00", "06:00"), ("06:00", "08:00")])
    #expect(
      Self.fire(policy, zone: "UTC", now: "2026-08-08T12:00Z", wish: "2026-08-08T23:00Z")
        == instant("2026-08-09T08:00Z"))
  }

  @Test("30A a calendar day is the device's day, a rolling cap is not a day") func dayCap() {
    let sent = (0..<9).map { "2026-09-20T\($0 < 8 ? 15 + $0 : 23):\($0 < 8 ? "00" : "30")Z" }
    let byDay = Self.policy(caps: [FrequencyCap(limit: 9, per: .calendarDay)])
    let rolling = Self.policy(caps: [FrequencyCap(limit: 9, per: .rolling(seconds: 86_400))])
    let zone = "America/Los_Angeles"
    let (now, wish) = ("2026-09-21T00:04Z", "2026-09-21T00:05Z")
    #expect(
      Self.fire(byDay, zone: zone, now: now, wish: wish, history: sent) == instant("2026-09-21T07:00Z"))
    #expect(
      Self.fire(rolling, zone: zone, now: now, wish: wish, history: sent) == instant("2026-09-21T15:00Z"))
  }

  @Test("30B exactly the window apart is allowed") func spacing() {
    let policy = Self.policy(caps: [FrequencyCap(limit: 1, per: .rolling(seconds: 60))])
    let queue = (10..<30).map { NotificationHead.test("n\($0)", .instant(instant("2026-01-01T12:00Z"))) }
    let held = PlanInput.test(now: "2026-01-01T00:00Z", policy: policy, queue: queue).planned().plan.held
    #expect(held.map(\.id.text) == queue.map(\.id.text))
    let fires = (0..<20).map { instant("2026-01-01T12:00Z").adding(seconds: $0 * 60) }
    #expect(held.map(\.fireAt) == fires)
  }

  @Test("30C a day of 25 hours has one allowance") func longDay() {
    let policy = Self.policy(caps: [FrequencyCap(limit: 1, per: .calendarDay)])
    #expect(
      Self.fire(
        policy, zone: "America/Los_Angeles", now: "2026-11-01T07:30Z", wish: "2026-11-02T07:30Z",
        history: ["2026-11-01T07:00Z"]) == instant("2026-11-02T08:00Z"))
  }

  @Test("31B the end of the night is no burst: the most important first") func release() {
    var policy = Self.policy(
      quiet: [("22:00", "08:00")], caps: [FrequencyCap(limit: 3, per: .rolling(seconds: 3600))])
    policy.types?.append(NotificationType(name: "top", prefixes: ["top"], priority: 0))
    var queue = (10..<20).map { number in
      NotificationHead.test("n\(number)", .instant(instant("2026-08-09T00:\(number)Z")))
    }
    queue += [30, 31].map { .test("top\($0)", .instant(instant("2026-08-09T07:\($0)Z"))) }
    let plan = PlanInput.test(now: "2026-08-08T12:00Z", policy: policy, queue: queue).planned().plan
    let first = plan.held.filter { $0.fireAt == instant("2026-08-09T08:00Z") }
    let second = plan.held.filter { $0.fireAt == instant("2026-08-09T09:00Z") }
    #expect(first.map(\.id.text) == ["n10", "top30", "top31"])
    #expect(second.map(\.id.text) == ["n11", "n12", "n13"])
    #expect(plan.held.count == 12)
    #expect(
      second[0].moves == [
        Move(by: "quietHours", from: instant("2026-08-09T00:11Z"), to: instant("2026-08-09T08:00Z")),
        Move(by: "frequencyCaps", from: instant("2026-08-09T08:00Z"), to: instant("2026-08-09T09:00Z")),
      ])
  }

  @Test("31C one digest for a group") func digest() {
    var policy = Self.policy(quiet: [("22:00", "08:00")])
    policy.types?[0].digest = true
    var queue = [
      NotificationHead.test("n1", .instant(instant("2026-08-09T01:00Z"))),
      .test("n2", .local(wall("2026-08-09T02:00"))), .test("n3", .instant(instant("2026-08-09T03:00Z"))),
    ]
    queue[0].group = "g"
    queue[1].group = "g"
    let plan = PlanInput.test(now: "2026-08-08T12:00Z", policy: policy, queue: queue).planned().plan
    #expect(plan.heldIDs == ["digest.g@20260809T0800", "n3"])
    #expect(plan.held[0].source.text == "n1")
    #expect(plan.held[0].digestCount == 2)
    #expect(plan.queued.map(\.reason) == [.digest, .digest])
    #expect(plan.queuedIDs == ["n1", "n2"])
    #expect(plan.evictionsByType.isEmpty)
    #expect(plan.refreshBy == nil)
  }

  @Test("what a type does in a quiet window", arguments: QuietHoursRule.allCases) func rules(
    _ rule: QuietHoursRule
  ) {
    var policy = Self.policy(quiet: [("22:00", "08:00")])
    policy.types?[0].quietHours = rule
    let plan = PlanInput.test(
      now: "2026-08-08T12:00Z", policy: policy, queue: [.test("n", .local(wall("2026-08-09T01:30")))]
    ).planned().plan
    switch rule {
    case .hold:
      #expect(plan.held.map(\.fireAt) == [instant("2026-08-09T08:00Z")])
      #expect(plan.held[0].trigger == .local(wall("2026-08-09T08:00")))
    case .ring:
      #expect(plan.held.map(\.fireAt) == [instant("2026-08-09T01:30Z")])
      #expect(plan.held[0].moves.isEmpty)
    case .inbox, .drop:
      #expect(plan.held.isEmpty)
      #expect(plan.withheld.map(\.reason) == [.quietHours])
    }
  }

  @Test("repeating requests count and keep their hour; a full day never frees") func repeatingCounts() {
    let policy = Self.policy(caps: [FrequencyCap(limit: 1, per: .rolling(seconds: 3600))])
    let nine = NotificationHead.test("r", .calendar(CalendarTrigger(components: daily(9), repeats: true)))
    let queue = [nine, .test("n", .instant(instant("2026-01-20T08:30Z")))]
    let plan = PlanInput.test(now: "2026-01-01T00:00Z", policy: policy, queue: queue).planned().plan
    #expect(plan.held.map(\.fireAt) == [instant("2026-01-01T09:00Z"), instant("2026-01-20T10:00Z")])

    let daily = Self.policy(caps: [FrequencyCap(limit: 1, per: .calendarDay)])
    let starved = PlanInput.test(now: "2026-01-01T00:00Z", policy: daily, queue: queue).planned().plan
    #expect(starved.heldIDs == ["r"])
    #expect(starved.withheld == [WithheldRequest(id: NotificationID(unchecked: "n"), reason: .capped)])
  }

  @Test("past its expiry by the move, it is expired") func expiry() {
    var head = NotificationHead.test("n", .instant(instant("2026-08-09T01:00Z")))
    head.expiresAt = instant("2026-08-09T07:00Z")
    let plan = PlanInput.test(
      now: "2026-08-08T12:00Z", policy: Self.policy(quiet: [("22:00", "08:00")]), queue: [head]
    ).planned().plan
    #expect(plan.held.isEmpty)
    #expect(plan.expired == [ExpiredRequest(id: head.id, fireAt: instant("2026-08-09T01:00Z"))])
  }

  @Test("time-sensitive ones are exempt where the device allows them") func exempt() {
    var head = NotificationHead.test("n", .instant(instant("2026-08-09T01:00Z")))
    head.summary.interruptionLevel = .timeSensitive
    var input = PlanInput.test(
      now: "2026-08-08T12:00Z", policy: Self.policy(quiet: [("22:00", "08:00")]), queue: [head])
    #expect(input.planned().plan.held.map(\.fireAt) == [instant("2026-08-09T08:00Z")])
    input.device.settings.timeSensitive = .enabled
    #expect(input.planned().plan.held.map(\.fireAt) == [instant("2026-08-09T01:00Z")])
  }
}
