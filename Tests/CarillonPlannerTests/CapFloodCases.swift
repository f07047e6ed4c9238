import CarillonModel
import CarillonPlanner
import Testing

/// Caps that what repeats fills for good, and more fires than are counted: whom the planner asks first must not matter.
@Suite struct CapFloodCases {
  private static func policy(_ caps: FrequencyCap...) -> Policy {
    var policy = Policy()
    policy.types = ["a", "b"].enumerated().map {
      NotificationType(name: $0.element, prefixes: [$0.element], priority: $0.offset)
    }
    policy.frequencyCaps = caps
    return policy
  }

  private static func every(_ seconds: Double, _ id: String, from anchor: Instant? = nil) -> NotificationHead
  {
    .test(id, .interval(IntervalTrigger(seconds: seconds, repeats: true, anchor: anchor)))
  }

  private static func calendar(_ id: String, _ components: CalendarComponents) -> NotificationHead {
    .test(id, .calendar(CalendarTrigger(components: components, repeats: true)))
  }

  /// No two fires of the one that repeats are further apart than twice the cap: there is never room between them. Where
  /// the first search gives up, the next goes on, and must know of the fires behind.
  @Test(
    "30 a cap that is full for good is so for each, wherever the search before it ended", arguments: 1...60)
  func fullForEach(hoursBetween: Int64) {
    let first = instant("2026-10-24T17:30Z")
    let plan = PlanInput.test(
      now: "2026-10-24T12:00Z", policy: Self.policy(FrequencyCap(limit: 1, per: .rolling(seconds: 161_461))),
      queue: [Self.every(271_320, "b.repeats", from: instant("2026-10-22T08:02Z"))]
        + (0..<9).map {
          .test("a\($0)", .instant(first.adding(seconds: Int64($0) * hoursBetween * 3600)))
        }
    ).planned().plan
    #expect(plan.heldIDs == ["b.repeats"])
    #expect(plan.withheld.count == 9 && plan.withheld.allSatisfy { $0.reason == .capped })
  }

  /// One of them alone has 50,000 fires in 104 days.
  private static let repeating = [
    every(180, "b1"), every(293_700, "b2"), calendar("b3", daily(22)),
    calendar("b4", components { $0.day = 30 }),
  ]

  private static func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard let first = elements.first else { return [[]] }
    return permutations(Array(elements.dropFirst())).flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0] + [first] + rest[$0...]) }
    }
  }

  @Test(
    "30 more fires than are counted, in any order of the queue",
    arguments: [FrequencyCap.Window.calendarDay, .rolling(seconds: 240), .rolling(seconds: 86_400)])
  func beyondWhatIsCounted(_ window: FrequencyCap.Window) {
    let policy = Self.policy(FrequencyCap(limit: 2, per: window))
    let late = instant("2027-06-01T12:00Z")
    let once: [NotificationHead] = [
      .test("a1", .instant(instant("2026-11-01T12:15Z"))), .test("a2", .instant(late)),
    ]
    let orders = Self.permutations(Self.repeating).map { once + $0 } + [Self.repeating + once]
    for queue in orders {
      var input = PlanInput.test(
        now: "2026-11-01T04:34Z", zone: "America/Havana", policy: policy, queue: queue)
      let result = input.planned()
      #expect(result.plan.withheld == [WithheldRequest(id: once[0].id, reason: .capped)])
      // So far ahead nothing is known of what repeats: it keeps its wish until it is nearer.
      #expect(result.plan.held.first { $0.id == once[1].id }?.fireAt == late)
      input.compileQueue(zones: zones)
      #expect(input.planned().plan == result.plan)
    }
  }

  @Test("30 room among many fires is found") func roomAmongMany() {
    let plan = PlanInput.test(
      now: "2026-11-01T00:00Z", policy: Self.policy(FrequencyCap(limit: 1, per: .rolling(seconds: 80))),
      queue: [Self.every(180, "b"), .test("a", .instant(instant("2027-01-31T00:00Z")))]
    ).planned().plan
    #expect(plan.held.first { $0.id.text == "a" }?.fireAt == instant("2027-01-31T00:01:20Z"))
  }

  @Test("random floods in any order of the queue, and made ready before") func randomFloods() {
    var random = Seeded(seed: Seeded.announced("randomFloods"))
    for _ in 0..<(Seeded.isLong ? 50 : 6) {
      let window: FrequencyCap.Window =
        random.chance(50)
        ? .calendarDay : .rolling(seconds: random.pick([60, 200, 4_000, 90_000, 3_000_000]))
      let policy = Self.policy(
        FrequencyCap(limit: Int.random(in: 1...3, using: &random), per: window),
        FrequencyCap(limit: 1, per: .calendarDay, types: ["a"]))
      let queue =
        (0..<random.pick([2, 5, 40])).map { Self.flood("b\($0)", &random) }
        + (0..<8).map { number in
          let wish = Int64.random(in: 0...random.pick([200, 8_000]), using: &random) * 3600
          return NotificationHead.test(
            "a\(number)", .instant(instant("2026-11-01T00:00Z").adding(seconds: wish)))
        }
      var input = PlanInput.test(
        now: "2026-10-31T12:00Z", zone: random.pick(["UTC", "America/Havana", "Australia/Lord_Howe"]),
        policy: policy, queue: queue)
      let plan = input.planned().plan
      for _ in 0..<2 {
        input.queue.shuffle(using: &random)
        #expect(input.planned().plan == plan, "\(queue)")
      }
      input.compileQueue(zones: zones)
      #expect(input.planned().plan == plan, "\(queue)")
    }
  }

  private static func flood(_ id: String, _ random: inout Seeded) -> NotificationHead {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: every(Double(Int.random(in: 60...400, using: &random)), id)
    case 1: calendar(id, components { $0.second = Int.random(in: 0...59, using: &random) })
    case 2: calendar(id, daily(Int.random(in: 0...23, using: &random)))
    default:
      .test(
        id, .recurrence(RecurrenceTrigger(start: wall("2026-01-01T00:00"), rule: "FREQ=MINUTELY;INTERVAL=2")))
    }
  }
}
