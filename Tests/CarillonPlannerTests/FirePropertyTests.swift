import CarillonModel
import CarillonPlanner
import Testing

/// What holds of every trigger, in every zone: random ones, half of the times near a change of the clock.
@Suite struct FirePropertyTests {
  struct Case {
    var trigger: Trigger
    var zone: String
    var now: Int64
  }

  static func cases(_ name: String, _ count: Int) -> [Case] {
    var random = Seeded(seed: Seeded.announced(name))
    return (0..<Seeded.count(count)).map { _ in
      let zone = random.pick(PythonOracleTests.names)
      let trigger: Trigger
      if random.chance(60) {
        let given = PythonOracleTests.randomComponents(&random)
        trigger = .calendar(
          CalendarTrigger(
            components: components { set in for (name, value) in given { set.set(name, value) } },
            repeats: true, onMissingDay: random.pick(MissingDayRule.allCases)))
      } else {
        let start = Int64.random(
          in: instant("2024-01-01Z").seconds...instant("2030-01-01Z").seconds, using: &random)
        trigger = .recurrence(
          RecurrenceTrigger(
            start: LocalDateTime(wallSeconds: start / 60 * 60), rule: RandomRule.any(&random)))
      }
      return Case(
        trigger: trigger, zone: zone,
        now: PythonOracleTests.randomInstant(CarillonPlannerTests.zone(zone), &random))
    }
  }

  static func compiled(_ row: Case) throws -> CompiledTrigger {
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone(row.zone))
    return try CompiledTrigger(
      row.trigger, device: device, acceptedAt: Instant(seconds: row.now), zones: zones)
  }

  @Test("a chain goes up, never repeats an instant, and leaves none out") func chains() throws {
    for row in Self.cases("chains", 400) {
      let trigger = try Self.compiled(row)
      var now = Instant(seconds: row.now)
      for _ in 0..<12 {
        guard let fire = trigger.next(after: now) else { break }
        #expect(fire > now, "\(row)")
        // Asked from between, the answer is the same; asked at the fire, it is the next one.
        let between = (now.seconds + fire.seconds) / 2
        #expect(trigger.next(after: Instant(seconds: between)) == fire, "\(row) \(now)")
        #expect(trigger.next(after: Instant(milliseconds: fire.milliseconds - 1)) == fire, "\(row) \(now)")
        now = fire
      }
    }
  }

  @Test("later questions have no earlier answers") func monotone() throws {
    var random = Seeded(seed: 7)
    for row in Self.cases("monotone", 800) {
      let trigger = try Self.compiled(row)
      let later = row.now + Int64.random(in: 0...200_000, using: &random)
      let answers = (
        trigger.next(after: Instant(seconds: row.now)), trigger.next(after: Instant(seconds: later))
      )
      guard let second = answers.1 else { continue }
      let first = try #require(answers.0, "\(row)")
      #expect(first <= second, "\(row) \(later)")
      if first.seconds > later { #expect(first == second, "\(row) \(later)") }
    }
  }

  @Test("the clock shows every component that was set, but in a gap or where the day is missing")
  func clockShows() throws {
    for row in Self.cases("components", 1_200) {
      guard case .calendar(let calendar) = row.trigger else { continue }
      guard let fire = try Self.compiled(row).next(after: Instant(seconds: row.now)) else { continue }
      let set = calendar.components
      let shown = zone(row.zone).local(at: fire)
      guard zone(row.zone).offset(at: fire) == zone(row.zone).offset(at: fire.adding(seconds: -86_400)) else {
        continue
      }
      let (date, second) = (shown.date, shown.secondOfDay)
      let isMoved = set.day.map { $0 > 28 } ?? false && calendar.onMissingDay != .skip
      if !isMoved {
        #expect(set.year ?? date.year == date.year, "\(row)")
        #expect(set.month ?? date.month == date.month, "\(row)")
        #expect(set.day ?? date.day == date.day, "\(row)")
      }
      #expect(set.weekday ?? date.weekday == date.weekday, "\(row)")
      #expect(set.weekdayOrdinal ?? date.weekdayOrdinal == date.weekdayOrdinal, "\(row)")
      let weeks = date.weeks(firstWeekday: 1, minimumDaysInFirstWeek: 1)
      #expect(set.weekOfYear ?? weeks.weekOfYear == weeks.weekOfYear, "\(row)")
      #expect(set.weekOfMonth ?? weeks.weekOfMonth == weeks.weekOfMonth, "\(row)")
      #expect(set.hour ?? (second / 3600) == second / 3600, "\(row)")
      #expect(set.minute ?? (second / 60 % 60) == second / 60 % 60, "\(row)")
      #expect(set.second ?? (second % 60) == second % 60, "\(row)")
    }
  }
}
