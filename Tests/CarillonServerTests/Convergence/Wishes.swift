import CarillonClient
import CarillonJSON
import CarillonModel
import TestSupport

/// What apps and app services ask for, of every kind there is.
struct WishMaker {
  private static let ids = [
    "habit.1", "habit.2", "habit.3", "day1.1", "depletion.1", "depletion.2", "inactivity.1", "other.1",
    "other.2",
  ]
  static let policies = [
    "{}",
    #"{"slots": 5}"#,
    #"{"slots": 6, "order": "priorityFirst", "locationSlots": 1}"#,
    #"{"slots": 8, "quietHours": {"windows": [{"from": "20:00", "to": "09:30"}]}}"#,
    #"{"slots": 7, "frequencyCaps": [{"limit": 2, "per": 7200}, {"limit": 4, "per": "calendarDay"}]}"#,
    #"{"slots": 6, "types": [{"name": "habit", "prefixes": ["habit"], "priority": 3, "limit": 2}, {"name": "other", "prefixes": ["other"], "priority": 0, "reserve": 1}]}"#,
    #"{"slots": 9, "types": [{"name": "group", "prefixes": ["habit", "other"], "priority": 1, "digest": true}], "quietHours": {"windows": [{"from": "18:00", "to": "08:00"}]}}"#,
  ]

  var random: SeededGenerator

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  mutating func id() -> NotificationID { NotificationID(unchecked: pick(Self.ids)) }

  mutating func notification(at now: Instant) -> CarillonModel.Notification {
    let id = id()
    var content = NotificationContent(title: "\(id.text) \(Int.random(in: 0..<3, using: &random))")
    if chance(40) { content.badge = 1 }
    if chance(30) { content.sound = "default" }
    if chance(20) { content.userInfo = .object([JSONMember("n", .number("1"))]) }
    if chance(10) { content.interruptionLevel = .timeSensitive }
    return .init(
      id: id, content: content, trigger: trigger(at: now), overdue: chance(20) ? .deliverNow : .expire,
      expiresAt: chance(10) ? now.adding(seconds: Int64.random(in: 60...200_000, using: &random)) : nil,
      group: chance(50) ? "g" : nil)
  }

  private mutating func trigger(at now: Instant) -> Trigger {
    let seconds = Int64.random(in: 1...4_000, using: &random) * 60
    let hour = Int.random(in: 0...23, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2: return .instant(now.adding(seconds: seconds))
    case 3...4: return .local(LocalDateTime(wallSeconds: (now.seconds + seconds) / 60 * 60))
    case 5:
      return .calendar(
        CalendarTrigger(components: CalendarComponents(hour: hour, minute: 15), repeats: true))
    case 6:
      return .calendar(
        CalendarTrigger(
          components: CalendarComponents(hour: hour), repeats: false,
          timeZone: chance(30) ? "Asia/Tokyo" : nil))
    case 7: return .interval(IntervalTrigger(seconds: Double(seconds), repeats: chance(40)))
    case 8:
      return .recurrence(
        RecurrenceTrigger(
          start: LocalDateTime(wallSeconds: (now.seconds + seconds) / 60 * 60),
          rule: "FREQ=DAILY;INTERVAL=\(pick([1, 2, 3]));COUNT=\(pick([1, 3]))"))
    default:
      return .location(
        LocationTrigger(
          latitude: 40, longitude: Double(hour), radius: 100, repeats: chance(50), distance: Double(seconds)))
    }
  }
}
