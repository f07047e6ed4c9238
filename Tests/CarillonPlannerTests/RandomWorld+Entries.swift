import CarillonJSON
import CarillonModel
import CarillonPlanner

extension WorldMaker {
  mutating func entry(_ name: String, _ world: RandomWorld) -> RandomWorld.Entry {
    let content = content()
    var head = NotificationHead(
      id: NotificationID(unchecked: name), trigger: trigger(world), summary: content.summary)
    if random.chance(20) { head.type = random.pick(["b", "nobody", "unknown"]) }
    if random.chance(30) { head.overdue = .deliverNow }
    if random.chance(25) { head.expiresAt = time(world, random.pick([-100...4_000, 0...60_000])) }
    if random.chance(75) { head.group = random.pick(["g", "g", "h"]) }
    if random.chance(20) { head.needs = Set(Need.allCases.filter { _ in random.chance(50) }) }
    return RandomWorld.Entry(
      notification: Notification(head: head, content: content), acceptedAt: time(world, -4_000...0))
  }

  private mutating func content() -> NotificationContent {
    var content = NotificationContent()
    if random.chance(80) { content.title = random.pick(["one", "two"]) }
    if random.chance(30) { content.sound = "default" }
    if random.chance(30) || (content.title == nil && content.sound == nil) { content.badge = 1 }
    if random.chance(20) { content.interruptionLevel = random.pick(InterruptionLevel.allCases) }
    return content
  }

  private func wall(_ world: RandomWorld) -> Int64 { zone(world.zoneName).local(at: world.now).wallSeconds }

  /// A wall time some half hours from now.
  private mutating func localTime(_ world: RandomWorld) -> LocalDateTime {
    let halfHours =
      random.chance(95) ? Int64.random(in: random.pick([-12...12, -60...100]), using: &random) : 2_000
    return LocalDateTime(wallSeconds: (wall(world) / 1_800 + halfHours) * 1_800)
  }

  private mutating func trigger(_ world: RandomWorld) -> Trigger {
    switch Int.random(in: 0..<24, using: &random) {
    case 0...4:
      let halfHours = Int64.random(in: random.pick([-12...12, -60...90]), using: &random) * 1_800
      let parts = random.chance(5) ? Int64.random(in: 1...999, using: &random) : 0
      return .instant(Instant(milliseconds: (world.now.seconds + halfHours) * 1000 + parts))
    case 5...11: return .local(localTime(world))
    case 12: return .interval(interval(repeats: false, world))
    case 13: return .interval(interval(repeats: true, world))
    case 14:
      return .location(
        LocationTrigger(
          latitude: 1, longitude: 1, radius: 50, repeats: random.chance(50),
          distance: random.chance(70) ? Double(Int.random(in: 1...3, using: &random)) : nil))
    case 15: return .calendar(onceByCalendar(world))
    case 16: return .recurrence(recurrence(world))
    default: return .calendar(repeating(world))
    }
  }

  private mutating func interval(repeats: Bool, _ world: RandomWorld) -> IntervalTrigger {
    var trigger = IntervalTrigger(
      seconds: Double(Int.random(in: (repeats ? 600 : 1)...5_000, using: &random) * 60), repeats: repeats)
    if random.chance(5) { trigger.seconds += 0.25 }
    if random.chance(60) { trigger.anchor = time(world, -6_000...500) }
    return trigger
  }

  private mutating func onceByCalendar(_ world: RandomWorld) -> CalendarTrigger {
    var set = daily(Int.random(in: 0...23, using: &random), random.pick([0, 15, 30]))
    switch Int.random(in: 0..<4, using: &random) {
    case 0: set.weekday = Int.random(in: 1...7, using: &random)
    case 1: set.day = Int.random(in: 27...31, using: &random)
    case 2:
      let date = localTime(world).date
      (set.year, set.month, set.day) = (date.year, date.month, date.day)
    default: break
    }
    var trigger = CalendarTrigger(components: set, repeats: false, timeZone: zoneName(world))
    if set.year == nil, random.chance(20) { trigger.startsAt = bound(world, -3...4) }
    return trigger
  }

  private mutating func zoneName(_ world: RandomWorld) -> String? {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: "Nowhere/Atall"
    case 1, 2: random.pick(["Pacific/Chatham", "America/Santiago", "UTC"])
    case 3: world.zoneName
    default: nil
    }
  }

  private mutating func bound(_ world: RandomWorld, _ days: ClosedRange<Int64>) -> LocalBound {
    let day = wall(world) / 86_400 + Int64.random(in: days, using: &random)
    if random.chance(60) { return .date(LocalDateTime(wallSeconds: day * 86_400)) }
    return .dateTime(
      LocalDateTime(wallSeconds: day * 86_400 + Int64.random(in: 0...47, using: &random) * 1_800))
  }

  private mutating func repeating(_ world: RandomWorld) -> CalendarTrigger {
    var set = daily(Int.random(in: 0...23, using: &random), random.pick([0, 15, 30]))
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: set.weekday = Int.random(in: 1...7, using: &random)
    case 2, 3: set.day = Int.random(in: 27...31, using: &random)
    case 4: (set.weekday, set.weekdayOrdinal) = (random.pick([1, 7]), Int.random(in: 1...5, using: &random))
    case 5: (set.month, set.day) = random.pick([(2, 29), (4, 5), (10, 25), (3, 29)])
    case 6 where world.policy.frequencyCaps.allSatisfy(Self.isShort): set.hour = nil
    case 7 where world.policy.frequencyCaps.isEmpty && random.chance(20):
      (set.hour, set.minute, set.second) = (nil, nil, 5)
    default: break
    }
    var trigger = CalendarTrigger(
      components: set, repeats: true, timeZone: zoneName(world),
      onMissingDay: random.pick(MissingDayRule.allCases))
    if random.chance(20) { trigger.startsAt = bound(world, -2...5) }
    if random.chance(20) { trigger.endsAt = bound(world, random.pick([-2...9, 20...50])) }
    if let start = trigger.startsAt, let end = trigger.endsAt, end.wallTime <= start.wallTime {
      trigger.endsAt = nil
    }
    return trigger
  }

  /// A rolling cap that what rings each hour fills for ever keeps the naive planner busy for too long.
  private static func isShort(_ cap: FrequencyCap) -> Bool { cap.per == .calendarDay }

  private mutating func recurrence(_ world: RandomWorld) -> RecurrenceTrigger {
    let start = LocalDateTime(
      wallSeconds: localTime(world).wallSeconds - Int64.random(in: 0...20, using: &random) * 86_400)
    var rule = random.pick([
      "FREQ=DAILY;INTERVAL=\(Int.random(in: 1...5, using: &random))", "FREQ=DAILY;BYDAY=MO,SA,SU",
      "FREQ=WEEKLY;BYDAY=SU,TU", "FREQ=WEEKLY;INTERVAL=2", "FREQ=MONTHLY;BYMONTHDAY=29",
    ])
    if random.chance(40) { rule += ";COUNT=\(Int.random(in: 1...30, using: &random))" }
    var trigger = RecurrenceTrigger(start: start, rule: rule, timeZone: zoneName(world))
    if random.chance(20) { trigger.except = [start, LocalDateTime(wallSeconds: start.wallSeconds + 86_400)] }
    return trigger
  }
}
