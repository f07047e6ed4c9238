import CarillonModel
import CarillonPlanner
import Testing

/// What a device's new zone, and a start, do to the times of its queue.
@Suite struct TravelTests {
  private static let triggers: [(id: String, trigger: Trigger)] = [
    ("instant", .instant(instant("2026-12-01T08:00Z"))),
    ("local", .local(wall("2026-12-01T08:00"))),
    ("daily", .calendar(CalendarTrigger(components: daily(8), repeats: true))),
    ("there", .calendar(CalendarTrigger(components: daily(8), repeats: true, timeZone: "Asia/Tokyo"))),
    ("rule", .recurrence(RecurrenceTrigger(start: wall("2026-01-01T08:00"), rule: "FREQ=DAILY"))),
    (
      "rule there",
      .recurrence(
        RecurrenceTrigger(start: wall("2026-01-01T08:00"), rule: "FREQ=DAILY", timeZone: "Asia/Tokyo"))
    ),
    (
      "interval",
      .interval(IntervalTrigger(seconds: 3_600, repeats: true, anchor: instant("2026-11-30T00:10Z")))
    ),
  ]

  @Test(
    "instants keep their instant, wall times without a zone their wall time",
    arguments: [
      (
        "Europe/Madrid",
        [
          "12-01T08:00", "12-01T07:00", "12-01T07:00", "11-30T23:00", "12-01T07:00", "11-30T23:00",
          "11-30T13:10",
        ]
      ),
      (
        "America/Lima",
        [
          "12-01T08:00", "12-01T13:00", "11-30T13:00", "11-30T23:00", "11-30T13:00", "11-30T23:00",
          "11-30T13:10",
        ]
      ),
    ])
  func travel(_ name: String, _ times: [String]) {
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone(name))
    let now = instant("2026-11-30T12:30Z")
    for (row, time) in zip(Self.triggers, times) {
      let fire = Planner.firstFire(
        of: .test(row.id, row.trigger), acceptedAt: now, now: now, device: device, zones: zones)
      #expect(fire == instant("2026-\(time)Z"), "\(row.id)")
    }
  }

  @Test("case 10: a daily one that starts tomorrow is not held for today") func start() {
    let trigger = CalendarTrigger(
      components: daily(11), repeats: true, startsAt: .date(wall("2021-01-02")))
    let plan = PlanInput.test(
      now: "2021-01-01T15:00Z", zone: "America/New_York", queue: [.test("d", .calendar(trigger))]
    ).planned().plan
    #expect(plan.held.first?.fireAt == instant("2021-01-02T16:00Z"))
    #expect(plan.held.allSatisfy { $0.fireAt ?? instant("2021-01-01Z") > instant("2021-01-01T16:00Z") })
    // Once it has started it is one repeating request.
    let started = PlanInput.test(
      now: "2021-01-02T17:00Z", zone: "America/New_York", queue: [.test("d", .calendar(trigger))]
    ).planned().plan
    #expect(started.held.map(\.trigger) == [.calendar(trigger)])
  }
}
