import CarillonModel
import CarillonPlanner
import Testing

/// What repeats and has come for the last time.
@Suite struct ExpiryCases {
  private static let accepted = instant("2026-11-30T10:00Z")
  private static let expiry = instant("2026-11-30T11:10Z")

  private static var triggers: [(String, Trigger)] {
    var daily = CalendarComponents()
    daily.hour = 9
    let bound = LocalDateTime("2026-12-02T09:30")!
    var bounded = CalendarTrigger(components: daily, repeats: true)
    bounded.endsAt = .dateTime(bound)
    return [
      ("interval", .interval(IntervalTrigger(seconds: 3_600, repeats: true, anchor: nil))),
      ("calendar", .calendar(CalendarTrigger(components: daily, repeats: true))),
      ("bounded", .calendar(bounded)),
      (
        "recurrence",
        .recurrence(RecurrenceTrigger(start: LocalDateTime("2026-11-30T09:00")!, rule: "FREQ=DAILY;COUNT=3"))
      ),
    ]
  }

  /// It expires at a time that stays, or each plan would be another one.
  @Test(arguments: triggers)
  func isOverAtATimeThatStays(_ name: String, _ trigger: Trigger) {
    let summary = ContentSummary(
      hasText: true, hasSound: false, hasBadge: false, interruptionLevel: .active, hash: 1)
    var input = RandomWorld(seed: 1).input
    (input.history, input.pending) = ([], nil)
    var head = NotificationHead(id: NotificationID(unchecked: "n"), trigger: trigger, summary: summary)
    head.expiresAt = Self.expiry
    input.queue = [QueueEntry(head: head, acceptedAt: Self.accepted)]
    for hours in [1, 2, 24, 72, 24 * 400] as [Int64] {
      input.now = instant("2026-11-30T10:05Z").adding(seconds: hours * 3_600)
      let plan = Planner.plan(input, zones: zones).plan
      #expect(plan.held.isEmpty && plan.queued.isEmpty)
      #expect(plan.expired == [ExpiredRequest(id: head.id, fireAt: Self.expiry)], "\(name) after \(hours) h")
    }
  }
}
