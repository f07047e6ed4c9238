import CarillonModel
import CarillonPlanner
import Testing

/// What a device is told, by what it holds; and the numbers on its badge. The kinds behind the field cases 25 and 45.
@Suite struct DiffCases {
  static let now = "2026-01-01T00:00Z"

  private static func id(_ text: String) -> NotificationID { NotificationID(unchecked: text) }

  struct Held: CustomTestStringConvertible, Sendable {
    enum Revision: Sendable { case right, wrong, none }
    var testDescription: String
    /// What is pending: ids, and whether with the revision of the plan.
    var pending: [(id: String, revision: Revision)]?
    var sent: Set<String> = []
    var removed: [String] = []
    var added: [String] = []
    var foreign = 0
    var stillRinging: Set<String> = []
    var slots = 64
  }

  /// The queue has `med.1`, `med.3`, and a daily `rep`.
  @Test(arguments: [
    Held(
      testDescription: "25 all as planned", pending: [("med.1", .right), ("med.3", .right), ("rep", .right)]),
    Held(
      testDescription: "25 one was changed",
      pending: [("med.1", .wrong), ("med.3", .right), ("rep", .right)],
      added: ["med.1"]),
    Held(
      testDescription: "25 one leaves, one comes",
      pending: [("med.2", .wrong), ("med.3", .right), ("rep", .right)],
      removed: ["med.2"], added: ["med.1"]),
    Held(
      testDescription: "25 changed, leaving and coming at once",
      pending: [("med.1", .wrong), ("med.2", .right)],
      removed: ["med.2"], added: ["med.1", "med.3", "rep"]),
    Held(
      testDescription: "25 ours by the queue, without a revision",
      pending: [("med.1", .none), ("med.3", .right), ("rep", .right)], added: ["med.1"]),
    Held(
      testDescription: "25 ours because it was sent",
      pending: [("old", .none), ("med.1", .right), ("med.3", .right), ("rep", .right)], sent: ["old"],
      removed: ["old"]),
    Held(
      testDescription: "25 foreign ones are not named",
      pending: [("theirs", .none), ("med.1", .right), ("med.3", .right), ("rep", .right)], foreign: 1),
    Held(
      testDescription: "25 an occurrence and a digest of ours leave",
      pending: [
        ("med.1", .right), ("med.3", .right), ("rep", .right), ("rep@20260101T0900", .wrong),
        ("digest.g@20260101T0800", .wrong),
      ], removed: ["digest.g@20260101T0800", "rep@20260101T0900"]),
    Held(
      testDescription: "25 iOS lost all", pending: [], added: ["med.1", "med.3", "rep"]),
    Held(
      testDescription: "25 the device has not said, and nothing was sent", pending: nil,
      added: ["med.1", "med.3", "rep"]),
    Held(
      testDescription: "25 the device has not said: what was sent may be there", pending: nil,
      sent: ["med.1", "med.2"], removed: ["med.2"], added: ["med.1", "med.3", "rep"]),
    Held(
      testDescription: "25 what rings yet by a clock that is behind stays and takes a slot",
      pending: [("due", .wrong), ("old", .wrong), ("med.1", .right)], removed: ["old"], added: ["med.3"],
      stillRinging: ["due", "gone"], slots: 3),
    Held(
      testDescription: "25 put anew it is replaced",
      pending: [("med.1", .wrong), ("med.3", .right), ("rep", .right)], added: ["med.1"],
      stillRinging: ["med.1"]),
    Held(
      testDescription: "25 removes are sorted by bytes",
      pending: [
        ("med.1", .right), ("med.3", .right), ("rep", .right), ("é", .wrong), ("z", .wrong), ("Z", .wrong),
      ], removed: ["Z", "z", "é"]),
  ])
  func diff(_ row: Held) {
    var policy = Policy()
    policy.slots = row.slots
    var input = PlanInput.test(
      now: Self.now, policy: policy,
      queue: [
        .test("med.1", .instant(instant("2026-01-01T10:00Z"))),
        .test("med.3", .instant(instant("2026-01-01T11:00Z"))),
        .test("rep", .calendar(CalendarTrigger(components: daily(12), repeats: true))),
      ])
    input.pending = []
    let held = input.planned().plan.held
    input.sent = Set(row.sent.map { Self.id($0) })
    input.stillRinging = Set(row.stillRinging.map { Self.id($0) })
    input.pending = row.pending?.map { id, revision in
      let right = held.first { $0.id.text == id }?.revision ?? "00000000000000aa"
      return PendingRequest(
        id: Self.id(id), revision: revision == .none ? nil : revision == .right ? right : "0123456789abcdef")
    }
    let result = input.planned()
    #expect(result.diff.remove.map(\.text) == row.removed)
    #expect(result.diff.add.map { result.plan.held[$0].id.text } == row.added)
    #expect(result.plan.foreign == row.foreign)
    #expect(Set(row.removed).isDisjoint(with: row.added))
  }

  @Test("25 whatever makes a request another one is one add, and nothing else is")
  func revisions() {
    func planned(_ change: (inout NotificationHead) -> Void, pending: [PendingRequest] = []) -> PlanResult {
      var head = NotificationHead.test("n", .local(wall("2026-01-01T10:00")), hasBadge: true)
      change(&head)
      var input = PlanInput.test(now: Self.now, queue: [head])
      input.pending = pending
      return input.planned()
    }
    let first = planned { _ in }.plan.held[0]
    let pending = [PendingRequest(id: first.id, revision: first.revision)]
    #expect(planned({ _ in }, pending: pending).diff.isEmpty)
    #expect(planned({ $0.expiresAt = instant("2026-02-01Z") }, pending: pending).diff.isEmpty)
    #expect(planned({ $0.needs = [.sound] }, pending: pending).diff.isEmpty)
    #expect(planned({ $0.type = "habit" }, pending: pending).diff.isEmpty)
    for change: (inout NotificationHead) -> Void in [
      { $0.trigger = .local(wall("2026-01-01T10:01")) },
      { $0.trigger = .instant(instant("2026-01-01T10:00Z")) }, { $0.summary.hash = 8 },
      { $0.summary.hasBadge = false },
    ] {
      let diff = planned(change, pending: pending).diff
      #expect(diff.remove.isEmpty && diff.add == [0])
    }
  }

  // MARK: 45

  struct Badges: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var unread = 2
    var slots = 64
    /// Ids, their hour, and whether their content has a badge.
    var queue: [(id: String, hour: Int, hasBadge: Bool)]
    var numbers: [Int?]
  }

  @Test(arguments: [
    Badges(
      testDescription: "45 in fire order, whatever the ids",
      queue: [("c", 10, true), ("a", 12, true), ("b", 11, true)],
      numbers: [3, 4, 5]),
    Badges(
      testDescription: "45 from nothing unread", unread: 0, queue: [("a", 10, true), ("b", 11, true)],
      numbers: [1, 2]),
    Badges(
      testDescription: "45 what has no badge is not counted",
      queue: [("a", 10, true), ("b", 11, false), ("c", 12, true)], numbers: [3, nil, 4]),
    Badges(
      testDescription: "45 at one time the id decides", queue: [("b", 10, true), ("a", 10, true)],
      numbers: [3, 4]),
    Badges(
      testDescription: "45 what waits is not counted", slots: 2,
      queue: [("a", 10, true), ("b", 11, true), ("c", 12, true)], numbers: [3, 4]),
  ])
  func badges(_ row: Badges) {
    var policy = Policy()
    policy.slots = row.slots
    var input = PlanInput.test(
      now: Self.now, policy: policy,
      queue: row.queue.map { entry in
        .test(entry.id, .local(wall("2026-01-01T\(entry.hour):00")), hasBadge: entry.hasBadge)
      })
    input.unread = row.unread
    #expect(input.planned().plan.held.map(\.badge) == row.numbers)
  }

  @Test("45 repeaters and occurrences carry none, and take no number from the others") func repeaters() {
    var late = CalendarTrigger(components: daily(8), repeats: true)
    late.endsAt = .date(wall("2026-01-03T00:00"))
    let input = PlanInput.test(
      now: Self.now,
      queue: [
        .test("n1", .local(wall("2026-01-01T10:00")), hasBadge: true),
        .test("n2", .local(wall("2026-01-02T10:00")), hasBadge: true),
        .test("daily", .calendar(CalendarTrigger(components: daily(9), repeats: true)), hasBadge: true),
        .test("each", .interval(IntervalTrigger(seconds: 3600, repeats: true)), hasBadge: true),
        .test("twice", .calendar(late), hasBadge: true),
      ])
    let held = input.planned().plan.held
    #expect(held.filter { $0.badge != nil }.map(\.id.text) == ["n1", "n2"])
    #expect(held.compactMap(\.badge) == [1, 2])
    #expect(held.count == 6)
  }

  @Test("45 another unread count adds all again and removes none; the same count adds nothing") func unread()
  {
    var input = PlanInput.test(
      now: Self.now,
      queue: (10...14).map { .test("n\($0)", .local(wall("2026-01-01T\($0):00")), hasBadge: $0 != 12) })
    input.unread = 2
    input.pending = []
    input.pending = input.planned().plan.held.map { PendingRequest(id: $0.id, revision: $0.revision) }
    #expect(input.planned().diff.isEmpty)
    input.unread = 3
    let result = input.planned()
    #expect(result.diff.remove.isEmpty)
    #expect(result.diff.add.map { result.plan.held[$0].id.text } == ["n10", "n11", "n13", "n14"])
    #expect(result.plan.held.map(\.badge) == [4, 5, nil, 6, 7])
  }

  @Test("45 a moved one is numbered where it rings") func moved() {
    var policy = Policy()
    policy.quietHours = QuietHours()
    policy.quietHours?.windows = [QuietWindow(from: 36_000, to: 43_200)]
    let input = PlanInput.test(
      now: Self.now, policy: policy,
      queue: [
        .test("a", .local(wall("2026-01-01T10:30")), hasBadge: true),
        .test("b", .local(wall("2026-01-01T09:00")), hasBadge: true),
        .test("c", .local(wall("2026-01-01T12:30")), hasBadge: true),
        .test("d", .local(wall("2026-01-01T11:59")), hasBadge: true),
      ])
    let held = input.planned().plan.held
    #expect(held.map(\.id.text) == ["b", "a", "d", "c"])
    #expect(held.map(\.badge) == [1, 2, 3, 4])
  }
}
