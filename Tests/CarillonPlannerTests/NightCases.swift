import CarillonModel
import CarillonPlanner
import Testing

/// Windows across midnight and what happens when they end. The kinds behind the field cases 27 and 31.
@Suite struct NightCases {
  private static func window(_ from: String, _ to: String, _ days: Set<Int>? = nil) -> QuietWindow {
    func seconds(_ text: String) -> Int {
      let numbers = text.split(separator: ":").compactMap { Int($0) }
      return zip(numbers, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
    }
    var window = QuietWindow(from: seconds(from), to: seconds(to))
    if let days { window.days = days }
    return window
  }

  private static func policy(_ windows: [QuietWindow]) -> Policy {
    var policy = Policy()
    policy.types = [
      NotificationType(name: "top", prefixes: ["top"], priority: 0),
      NotificationType(name: "n", prefixes: ["n"], priority: 1),
    ]
    policy.quietHours = QuietHours()
    policy.quietHours?.windows = windows
    return policy
  }

  struct Night: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var zone = "Europe/Brussels"
    var windows = [NightCases.window("21:00", "07:00")]
    /// Wishes and where they ring, both on the device's clock.
    var rings: [(String, String)]
  }

  // 2026-01-01 is a Thursday.
  static let nights: [Night] = [
    Night(
      testDescription: "27 21:00 to 07:00, at its edges",
      rings: [
        ("2026-01-01T20:59:59", "2026-01-01T20:59:59"), ("2026-01-01T21:00", "2026-01-02T07:00"),
        ("2026-01-01T23:59:59", "2026-01-02T07:00"), ("2026-01-02T00:00", "2026-01-02T07:00"),
        ("2026-01-02T06:59:59", "2026-01-02T07:00"), ("2026-01-02T07:00", "2026-01-02T07:00"),
        ("2026-01-02T12:00", "2026-01-02T12:00"),
      ]),
    Night(
      testDescription: "27 a night belongs to the day on which it starts",
      windows: [window("21:00", "07:00", [6])],
      rings: [
        ("2026-01-02T06:00", "2026-01-02T06:00"), ("2026-01-02T21:00", "2026-01-03T07:00"),
        ("2026-01-03T06:59", "2026-01-03T07:00"), ("2026-01-03T21:00", "2026-01-03T21:00"),
        ("2026-01-04T06:00", "2026-01-04T06:00"),
      ]),
    Night(
      testDescription: "27 from Saturday into Sunday, over the end of the week",
      windows: [window("22:00", "10:00", [7])],
      rings: [
        ("2026-01-03T09:00", "2026-01-03T09:00"), ("2026-01-03T22:00", "2026-01-04T10:00"),
        ("2026-01-04T09:59", "2026-01-04T10:00"), ("2026-01-04T22:00", "2026-01-04T22:00"),
      ]),
    Night(
      testDescription: "27 whole days chain with the nights beside them",
      windows: [
        window("22:00", "07:00"),
        {
          var day = QuietWindow(from: 0, to: 86_400); day.days = [1]; return day
        }(),
      ],
      rings: [
        ("2026-01-03T21:59", "2026-01-03T21:59"), ("2026-01-03T22:00", "2026-01-05T07:00"),
        ("2026-01-04T12:00", "2026-01-05T07:00"), ("2026-01-05T12:00", "2026-01-05T12:00"),
      ]),
    Night(
      testDescription: "27 until midnight and from midnight", windows: [window("22:00", "00:00")],
      rings: [
        ("2026-01-01T23:59:59", "2026-01-02T00:00"), ("2026-01-02T00:00", "2026-01-02T00:00"),
        ("2026-01-02T22:00", "2026-01-03T00:00"),
      ]),
    Night(
      testDescription: "27 an opening of one second a day", windows: [window("08:00:01", "08:00:00")],
      rings: [
        ("2026-01-01T08:00:00", "2026-01-01T08:00:00"), ("2026-01-01T08:00:01", "2026-01-02T08:00:00"),
        ("2026-01-01T07:59:59", "2026-01-01T08:00:00"),
      ]),
    Night(
      testDescription: "27 by day, without a wrap", windows: [window("09:00", "17:00", [2, 3, 4, 5, 6])],
      rings: [
        ("2026-01-02T08:59", "2026-01-02T08:59"), ("2026-01-02T09:00", "2026-01-02T17:00"),
        ("2026-01-03T09:00", "2026-01-03T09:00"),
      ]),
    Night(
      testDescription: "27 a night of 23 hours' day", zone: "Europe/Zurich",
      rings: [("2026-03-28T21:30", "2026-03-29T07:00"), ("2026-03-29T01:30", "2026-03-29T07:00")]),
    Night(
      testDescription: "27 a night of 25 hours' day", zone: "Europe/Zurich",
      rings: [("2026-10-24T21:30", "2026-10-25T07:00"), ("2026-10-25T01:30", "2026-10-25T07:00")]),
  ]

  @Test(arguments: nights) func night(_ row: Night) {
    for (wish, ring) in row.rings {
      var input = PlanInput.test(
        now: "2026-01-01T00:00Z", zone: row.zone, policy: Self.policy(row.windows),
        queue: [.test("n", .local(wall(wish)))])
      input.policyVersion = 1
      let held = input.planned().plan.held
      #expect(held.map(\.trigger) == [.local(wall(ring))], "\(row) \(wish)")
      #expect(held[0].moves.map(\.by) == (wish == ring ? [] : ["quietHours"]), "\(row) \(wish)")
      #expect(held[0].fireAt == zone(row.zone).fire(of: wall(ring)))
    }
  }

  @Test("27 planned inside the window, and again, it rings at the same end; once over it is done or expired")
  func inside() {
    var head = NotificationHead.test("n", .local(wall("2026-01-01T23:30")))
    func plan(_ now: String, _ history: [PastDelivery] = []) -> Plan {
      var input = PlanInput.test(
        now: now, policy: Self.policy([Self.window("21:00", "07:00")]), queue: [head])
      input.history = history
      return input.planned().plan
    }
    let end = instant("2026-01-02T07:00Z")
    let first = plan("2026-01-01T12:00Z").held
    for now in ["2026-01-01T23:29:59Z", "2026-01-01T23:30Z", "2026-01-02T00:00Z", "2026-01-02T06:59:59Z"] {
      #expect(plan(now).held == first, "\(now)")
    }
    let delivered = PastDelivery(id: head.id, type: "n", at: end)
    #expect(plan("2026-01-02T07:00Z").expired.map(\.fireAt) == [instant("2026-01-01T23:30Z")])
    #expect(plan("2026-01-02T08:00Z", [delivered]).expired.map(\.fireAt) == [instant("2026-01-01T23:30Z")])
    head.overdue = .deliverNow
    #expect(plan("2026-01-02T06:00Z").held == first)
    let late = plan("2026-01-02T08:00Z").held
    #expect(late.map(\.fireAt) == [instant("2026-01-02T08:00:01Z")])
    #expect(late[0].moves == [Move(by: "overdue", from: instant("2026-01-01T23:30Z"), to: late[0].fireAt!)])
    #expect(plan("2026-01-02T08:00Z", [delivered]).held.isEmpty)
    // The next night holds it again, and its plan does not change with the seconds.
    let nextNight = plan("2026-01-02T22:00Z").held
    #expect(nextNight.map(\.fireAt) == [instant("2026-01-03T07:00Z")])
    #expect(
      nextNight[0].moves == [
        Move(by: "quietHours", from: instant("2026-01-01T23:30Z"), to: instant("2026-01-03T07:00Z"))
      ])
    #expect(plan("2026-01-02T22:00:59Z").held == nextNight)
  }

  // MARK: 31

  private static func night(_ change: (inout Policy) -> Void = { _ in }) -> Policy {
    var policy = policy([window("22:00", "08:00")])
    change(&policy)
    return policy
  }

  private static func held(_ policy: Policy, _ queue: [NotificationHead]) -> [HeldRequest] {
    PlanInput.test(now: "2026-08-08T12:00Z", policy: policy, queue: queue).planned().plan.held
  }

  private static func twelve(_ group: String? = nil) -> [NotificationHead] {
    (10..<22).map { number in
      var head = NotificationHead.test("n\(number)", .local(wall("2026-08-09T01:\(number)")))
      head.group = group
      return head
    }
  }

  @Test(
    "31B twelve held ones come as the cap lets them, never all at once",
    arguments: [(1, 3600), (3, 3600), (5, 1800), (12, 3600), (20, 60)])
  func release(limit: Int, seconds: Int) {
    let policy = Self.night {
      $0.frequencyCaps = [FrequencyCap(limit: limit, per: .rolling(seconds: seconds))]
    }
    let held = Self.held(policy, Self.twelve())
    let eight = instant("2026-08-09T08:00Z")
    #expect(held.map(\.id.text) == (10..<22).map { "n\($0)" })
    #expect(held.map(\.fireAt) == (0..<12).map { eight.adding(seconds: Int64($0 / limit * seconds)) })
  }

  @Test("31C of each group one digest; one alone in its group rings as itself") func digests() {
    let policy = Self.night { $0.types?[1].digest = true }
    var queue = Self.twelve("g")
    queue[10].group = "h"
    queue[11].group = nil
    let plan = PlanInput.test(now: "2026-08-08T12:00Z", policy: policy, queue: queue).planned().plan
    #expect(plan.heldIDs == ["digest.g@20260809T0800", "n20", "n21"])
    #expect(plan.held.map(\.digestCount) == [10, nil, nil])
    #expect(plan.held[0].moves.map(\.from) == [instant("2026-08-09T01:10Z")])
    #expect(plan.queuedIDs == (10..<20).map { "n\($0)" })
    #expect(plan.queued.allSatisfy { $0.reason == .digest && $0.rank == 1 })
    // Not a digest type: twelve singles.
    #expect(Self.held(Self.night(), Self.twelve("g")).count == 12)
    // Nothing to wait for: nothing merges.
    let open = Self.night {
      $0.quietHours = nil
      $0.types?[1].digest = true
    }
    #expect(Self.held(open, Self.twelve("g")).count == 12)
  }

  @Test("31C the most important leads a digest; two nights are two digests") func leader() {
    let policy = Self.night { policy in
      policy.types?[0].digest = true
      policy.types?[1].digest = true
    }
    func head(_ id: String, _ at: String) -> NotificationHead {
      var head = NotificationHead.test(id, .local(wall(at)), hasBadge: true)
      head.group = "g"
      return head
    }
    let held = Self.held(
      policy,
      [
        head("n1", "2026-08-09T01:00"), head("top", "2026-08-09T07:00"), head("n2", "2026-08-09T23:00"),
        head("n3", "2026-08-10T07:59"),
      ])
    #expect(held.map(\.id.text) == ["digest.g@20260809T0800", "digest.g@20260810T0800"])
    #expect(held.map(\.source.text) == ["top", "n2"])
    #expect(held.map(\.type) == ["top", "n"])
    #expect(held.map(\.badge) == [1, 2])
    #expect(held[0].trigger == .local(wall("2026-08-09T08:00")))
  }

  @Test("31C under a cap a digest is one, and what was delivered in it is done") func digestAndCap() {
    let policy = Self.night { policy in
      policy.types?[1].digest = true
      policy.frequencyCaps = [FrequencyCap(limit: 1, per: .rolling(seconds: 3600))]
    }
    let queue = Self.twelve("g") + [.test("n8", .local(wall("2026-08-09T08:00")))]
    var input = PlanInput.test(now: "2026-08-08T12:00Z", policy: policy, queue: queue)
    let held = input.planned().plan.held
    #expect(held.map(\.id.text) == ["digest.g@20260809T0800", "n8"])
    #expect(held.map(\.fireAt) == ["2026-08-09T08:00Z", "2026-08-09T09:00Z"].map(instant))
    input.now = instant("2026-08-09T08:10Z")
    input.history = [PastDelivery(id: held[0].id, type: "n", at: held[0].fireAt!)]
    let after = input.planned().plan
    #expect(after.expired.map(\.id.text) == (10..<22).map { "n\($0)" })
    #expect(after.heldIDs == ["n8"] && after.held[0].fireAt == instant("2026-08-09T09:00Z"))
  }

  @Test("31 what expires before the end is dropped, not released", arguments: [false, true])
  func expiry(digest: Bool) {
    let policy = Self.night { $0.types?[1].digest = digest }
    var queue = Self.twelve("g")
    for index in queue.indices {
      queue[index].expiresAt = instant(index < 6 ? "2026-08-09T07:59:59Z" : "2026-08-09T08:00Z")
    }
    let plan = PlanInput.test(now: "2026-08-08T12:00Z", policy: policy, queue: queue).planned().plan
    #expect(plan.expired.map(\.id.text) == (10..<16).map { "n\($0)" })
    #expect(plan.held.map(\.digestCount) == (digest ? [6] : [Int?](repeating: nil, count: 6)))
  }

  @Test("31D a reminder the user set rings at its hour, and counts for the others") func userSet() {
    let policy = Self.night { policy in
      policy.types?[0].quietHours = .ring
      policy.frequencyCaps = [FrequencyCap(limit: 1, per: .rolling(seconds: 8 * 3600))]
    }
    let held = Self.held(
      policy, [.test("top", .local(wall("2026-08-09T01:30"))), .test("n", .local(wall("2026-08-09T02:00")))])
    #expect(held.map(\.fireAt) == ["2026-08-09T01:30Z", "2026-08-09T09:30Z"].map(instant))
    #expect(held[0].moves.isEmpty && held[0].trigger == .local(wall("2026-08-09T01:30")))
    #expect(held[1].moves.map(\.by) == ["quietHours", "frequencyCaps"])
  }

  @Test(
    "31A in every zone the end is the window's next end, never its next start",
    arguments: [
      ("UTC", "2026-08-08T23:00Z", "2026-08-09T08:00Z"), ("UTC", "2026-08-09T07:59:59Z", "2026-08-09T08:00Z"),
      ("Asia/Kathmandu", "2026-08-08T23:00Z", "2026-08-09T02:15Z"),
      ("America/St_Johns", "2026-08-09T01:00Z", "2026-08-09T10:30Z"),
      ("Pacific/Kiritimati", "2026-08-08T10:00Z", "2026-08-08T18:00Z"),
    ])
  func release(zoneName: String, wish: String, end: String) {
    let plan = PlanInput.test(
      now: "2026-08-08T00:00Z", zone: zoneName, policy: Self.night(),
      queue: [.test("n", .instant(instant(wish)))]
    ).planned().plan
    #expect(plan.held.map(\.fireAt) == [instant(end)])
    #expect(plan.held[0].trigger == .instant(instant(end)))
  }
}
