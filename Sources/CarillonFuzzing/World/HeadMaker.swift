import CarillonModel
import CarillonPlanner

/// A notification from bytes, with times near now; it may be one that no one can put.
struct HeadMaker {
  var source: ByteSource
  let zone: ZoneTable
  let now: Instant

  mutating func instant(_ range: ClosedRange<Int>) -> Instant {
    Instant(seconds: now.seconds + Int64(source.int(in: range)) * 60)
  }

  mutating func notification() -> Notification {
    var content = NotificationContent()
    if !source.chance(20) { content.title = "T" }
    if source.chance(30) { content.sound = "default" }
    if source.chance(30) { content.badge = 1 }
    if source.chance(20) { content.interruptionLevel = source.pick(InterruptionLevel.allCases) }
    let id = source.pick(["a", "b", "c", "d", "é"]) + source.pick(["0", "1", "2", "3"])
    let head = NotificationHead(
      id: NotificationID(unchecked: id), type: source.maybe(20) { $0.pick(["b", "nobody"]) },
      trigger: trigger(),
      overdue: source.chance(30) ? .deliverNow : .expire,
      expiresAt: source.chance(20) ? instant(-100...4_000) : nil,
      needs: source.chance(10) ? [.sound] : [], group: source.maybe(50) { $0.pick(["g", "h"]) },
      summary: content.summary)
    return Notification(head: head, content: content)
  }

  private mutating func trigger() -> Trigger {
    switch source.int(in: 0...13) {
    case 0...2: return .instant(instant(-600...3_000))
    case 3...6: return .local(localTime())
    case 7:
      return .interval(
        IntervalTrigger(
          seconds: Double(source.int(in: 1...10_000) * 30), repeats: source.chance(60),
          anchor: source.chance(30) ? instant(-5_000...5_000) : nil))
    case 8:
      return .location(
        LocationTrigger(
          latitude: 1, longitude: 1, radius: 50, repeats: source.chance(50),
          distance: source.maybe(70) { Double($0.int(in: 1...3)) }))
    case 9: return .recurrence(recurrence())
    default: return .calendar(calendar())
    }
  }

  private mutating func localTime() -> LocalDateTime {
    LocalDateTime(
      wallSeconds: zone.local(at: now).wallSeconds / 1_800 * 1_800 + Int64(source.int(in: -60...150)) * 1_800)
  }

  private mutating func recurrence() -> RecurrenceTrigger {
    let rule = source.pick([
      "FREQ=DAILY", "FREQ=DAILY;INTERVAL=2;COUNT=5", "FREQ=HOURLY;INTERVAL=7", "FREQ=WEEKLY;BYDAY=MO,FR",
      "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYDAY=2TU", "FREQ=DAILY;COUNT=1",
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
    ])
    return RecurrenceTrigger(
      start: localTime(), rule: rule, except: source.chance(20) ? [localTime()] : [],
      timeZone: source.maybe(30) { $0.pick(["Europe/Zurich", "America/Havana", "Nowhere/Atall"]) })
  }

  private mutating func calendar() -> CalendarTrigger {
    var components = CalendarComponents()
    if !source.chance(10) { components.hour = source.int(in: 0...23) }
    if !source.chance(10) { components.minute = source.pick([0, 15, 30]) }
    switch source.int(in: 0...7) {
    case 0: components.weekday = source.int(in: 1...7)
    case 1: components.day = source.int(in: 27...31)
    case 2:
      components.weekday = source.int(in: 1...7)
      components.weekdayOrdinal = source.int(in: 1...5)
    case 3:
      components.month = source.int(in: 1...12)
      components.day = source.int(in: 28...31)
    case 4:
      let date = localTime().date
      components.year = date.year
      components.month = date.month
      components.day = date.day
    default: break
    }
    var trigger = CalendarTrigger(
      components: components, repeats: !source.chance(30),
      timeZone: source.maybe(20) { $0.pick(["Europe/Zurich", "America/Havana", "Nowhere/Atall"]) },
      onMissingDay: source.pick(MissingDayRule.allCases))
    if source.chance(20) { trigger.startsAt = bound() }
    if source.chance(20) { trigger.endsAt = bound() }
    return trigger
  }

  private mutating func bound() -> LocalBound {
    let time = localTime()
    return source.chance(50) ? .date(LocalDateTime(date: time.date)) : .dateTime(time)
  }
}
