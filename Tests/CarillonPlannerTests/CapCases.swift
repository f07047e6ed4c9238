import CarillonModel
import CarillonPlanner
import Testing

/// What counts against a cap, and when its day begins. The kinds behind the field case 30.
@Suite struct CapCases {
  private static func policy(_ caps: [FrequencyCap]) -> Policy {
    var policy = Policy()
    policy.types = ["a", "b"].enumerated().map {
      NotificationType(name: $0.element, prefixes: [$0.element], priority: $0.offset)
    }
    policy.frequencyCaps = caps
    return policy
  }

  private static func past(_ type: String, _ at: String) -> PastDelivery {
    PastDelivery(id: NotificationID(unchecked: "past"), type: type, at: instant(at))
  }

  /// A cap that what repeats fills for good is tried once and not for each request: all of them are withheld.
  @Test(arguments: [FrequencyCap.Window.calendarDay, .rolling(seconds: 86_400)])
  func aCapThatADailyHabitFillsForGood(_ window: FrequencyCap.Window) {
    var world = RandomWorld(seed: 1)
    world.policy = Self.policy([FrequencyCap(limit: 1, per: window)])
    var input = world.input
    input.history = []
    input.pending = nil
    input.now = instant("2026-11-30T10:00Z")
    let summary = ContentSummary(
      hasText: true, hasSound: false, hasBadge: false, interruptionLevel: .active, hash: 1)
    var habit = CalendarComponents()
    habit.hour = 9
    func entry(_ id: String, _ trigger: Trigger) -> QueueEntry {
      QueueEntry(
        head: NotificationHead(id: NotificationID(unchecked: id), trigger: trigger, summary: summary),
        acceptedAt: input.now)
    }
    input.queue =
      [entry("a.habit", .calendar(CalendarTrigger(components: habit, repeats: true)))]
      + (0..<1_000).map {
        entry("b.\($0)", .instant(instant("2026-12-01T08:00Z").adding(seconds: Int64($0))))
      }
    input.device.authorizationStatus = .authorized
    input.device.settings = NotificationSettings()
    let plan = input.planned().plan
    #expect(plan.held.map(\.id.text) == ["a.habit"])
    #expect(plan.withheld.count == 1_000 && plan.withheld.allSatisfy { $0.reason == .capped })
  }

  struct Day: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var zone: String
    /// One delivery at the first instant of the day, one wish at its last: it goes to the next day's first.
    var first: String
    var next: String
  }

  @Test(arguments: [
    Day(
      testDescription: "30C 25 hours", zone: "America/Los_Angeles", first: "2026-11-01T07:00Z",
      next: "2026-11-02T08:00Z"),
    Day(
      testDescription: "30C 23 hours", zone: "America/Los_Angeles", first: "2026-03-08T08:00Z",
      next: "2026-03-09T07:00Z"),
    Day(
      testDescription: "30C 24 hours and a half", zone: "Australia/Lord_Howe", first: "2026-04-04T13:00Z",
      next: "2026-04-05T13:30Z"),
    Day(
      testDescription: "30C 22 hours", zone: "Antarctica/Troll", first: "2026-03-29T00:00Z",
      next: "2026-03-29T22:00Z"),
    Day(
      testDescription: "30C a day without its midnight", zone: "America/Santiago", first: "2026-09-06T04:00Z",
      next: "2026-09-07T03:00Z"),
    Day(
      testDescription: "30C a day whose first hour comes twice", zone: "America/Havana",
      first: "2026-11-01T04:00Z", next: "2026-11-02T05:00Z"),
    Day(
      testDescription: "30C an ordinary day far from Greenwich", zone: "Pacific/Kiritimati",
      first: "2026-06-10T10:00Z", next: "2026-06-11T10:00Z"),
  ])
  func oneAllowance(_ row: Day) {
    let policy = Self.policy([FrequencyCap(limit: 1, per: .calendarDay)])
    let (first, next) = (instant(row.first), instant(row.next))
    for (history, expected) in [(first, next), (first.adding(seconds: -1), next.adding(seconds: -1))] {
      let wish = next.adding(seconds: -1)
      var input = PlanInput.test(
        now: row.first, zone: row.zone, policy: policy, queue: [.test("a", .instant(wish))])
      input.now = first
      input.history = [PastDelivery(id: NotificationID(unchecked: "past"), type: "a", at: history)]
      #expect(input.planned().plan.held.map(\.fireAt) == [expected])
    }
  }

  @Test("30A nine a day: the tenth waits for local midnight, the hour does not matter", arguments: 0..<9)
  func nine(sent: Int) {
    var input = PlanInput.test(
      now: "2026-09-21T00:04Z", zone: "America/Los_Angeles",
      policy: Self.policy([FrequencyCap(limit: 9, per: .calendarDay)]),
      queue: (0..<10).map { .test("a\($0)", .instant(instant("2026-09-21T00:05Z"))) })
    input.history = (0..<sent).map { Self.past("a", "2026-09-20T\(15 + $0 % 9):00Z") }
    let fires = input.planned().plan.held.map { $0.fireAt! }
    #expect(fires.count { $0 == instant("2026-09-21T00:05Z") } == 9 - sent)
    #expect(fires.count { $0 == instant("2026-09-21T07:00Z") } == min(9, 1 + sent))
    #expect(fires.count == 10)
  }

  @Test("30 after travel the day is that of the new zone") func travel() {
    let policy = Self.policy([FrequencyCap(limit: 1, per: .calendarDay)])
    func fire(_ zoneName: String) -> Instant? {
      var input = PlanInput.test(
        now: "2026-06-10T12:00Z", zone: zoneName, policy: policy,
        queue: [.test("a", .instant(instant("2026-06-10T16:00Z")))])
      input.history = [Self.past("a", "2026-06-10T11:00Z")]
      return input.planned().plan.held.first?.fireAt
    }
    #expect(fire("UTC") == instant("2026-06-11T00:00Z"))
    // In Tokyo it is the 11th from 15:00Z on.
    #expect(fire("Asia/Tokyo") == instant("2026-06-10T16:00Z"))
    #expect(fire("America/Los_Angeles") == instant("2026-06-11T07:00Z"))
  }

  struct Counting: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var caps = [FrequencyCap(limit: 1, per: .rolling(seconds: 3600))]
    var type = "a"
    var history: [PastDelivery] = []
    var others: [NotificationHead] = []
    /// Of a wish at 12:00.
    var fire: String
  }

  static let repeating = CalendarTrigger(components: daily(11, 30), repeats: true)

  @Test(arguments: [
    Counting(testDescription: "30 nothing sent", fire: "12:00"),
    Counting(
      testDescription: "30 sent half an hour ago", history: [past("a", "2026-06-10T11:30Z")], fire: "12:30"),
    Counting(
      testDescription: "30 sent exactly an hour before", history: [past("a", "2026-06-10T11:00Z")],
      fire: "12:00"),
    Counting(
      testDescription: "30 of another type, under a cap of all", history: [past("b", "2026-06-10T11:30Z")],
      fire: "12:30"),
    Counting(
      testDescription: "30 of another type, under a cap of this one",
      caps: [FrequencyCap(limit: 1, per: .rolling(seconds: 3600), types: ["a"])],
      history: [past("b", "2026-06-10T11:30Z")], fire: "12:00"),
    Counting(
      testDescription: "30 under a cap of other types",
      caps: [FrequencyCap(limit: 1, per: .rolling(seconds: 3600), types: ["b"])],
      history: [past("a", "2026-06-10T11:30Z")], fire: "12:00"),
    Counting(
      testDescription: "30 of a type that the policy no longer has",
      history: [past("gone", "2026-06-10T11:30Z")],
      fire: "12:30"),
    Counting(
      testDescription: "30 what expired was not sent and does not count",
      others: [.test("a0", .instant(instant("2026-06-10T10:59Z")))], fire: "12:00"),
    Counting(
      testDescription: "30 a repeating one counts before and after",
      others: [.test("b", .calendar(repeating))], fire: "12:30"),
    Counting(
      testDescription: "30 a more important one later on keeps it away", type: "b",
      others: [.test("a", .instant(instant("2026-06-10T12:10Z")))], fire: "13:10"),
    Counting(
      testDescription: "30 a less important one gives way", type: "a",
      others: [.test("b", .instant(instant("2026-06-10T11:50Z")))], fire: "12:00"),
    Counting(
      testDescription: "30 two caps: the longer one decides",
      caps: [
        FrequencyCap(limit: 1, per: .rolling(seconds: 600)),
        FrequencyCap(limit: 2, per: .rolling(seconds: 7200)),
      ], history: [past("a", "2026-06-10T10:30Z"), past("a", "2026-06-10T11:55Z")], fire: "12:30"),
  ])
  func counting(_ row: Counting) {
    var input = PlanInput.test(
      now: "2026-06-10T11:00Z", policy: Self.policy(row.caps),
      queue: row.others + [.test("\(row.type)9", .instant(instant("2026-06-10T12:00Z")))])
    input.history = row.history.filter { $0.at <= input.now }
    // What was sent after now in a row is what a later plan sees.
    if input.history.count < row.history.count {
      input.now = instant("2026-06-10T11:59Z")
      input.history = row.history
    }
    let held = input.planned().plan.held.first { $0.id.text == "\(row.type)9" }
    #expect(held?.fireAt == instant("2026-06-10T\(row.fire)Z"))
  }

  @Test("30 an hourly request fills an hourly cap for ever", arguments: [CapRule.hold, .drop, .inbox])
  func neverFrees(rule: CapRule) {
    var policy = Self.policy([FrequencyCap(limit: 1, per: .rolling(seconds: 3600))])
    policy.types?[0].cap = rule
    let hourly = components { $0.minute = 30 }
    let plan = PlanInput.test(
      now: "2026-06-10T11:00Z", policy: policy,
      queue: [
        .test("b", .calendar(CalendarTrigger(components: hourly, repeats: true))),
        .test("a", .instant(instant("2026-06-10T12:00Z"))),
      ]
    ).planned().plan
    #expect(plan.heldIDs == ["b"])
    #expect(plan.withheld == [WithheldRequest(id: NotificationID(unchecked: "a"), reason: .capped)])
  }
}
