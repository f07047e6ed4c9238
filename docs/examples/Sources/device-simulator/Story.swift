import CarillonClient

/// What happens on that day, and what the app has asked for.
enum Story {
  static let day = "2026-12-01"
  /// Madrid is an hour ahead of UTC in winter.
  static let hoursAhead = 1

  /// Water counts little and too much of it is only put into the inbox; nothing rings at night but a bill.
  static let policy = """
    {"types": [
       {"name": "bill", "prefixes": ["bill."], "priority": 0},
       {"name": "habit", "prefixes": ["habit."], "priority": 1},
       {"name": "water", "prefixes": ["water."], "priority": 2, "cap": "inbox"},
       {"name": "trip", "prefixes": ["trip."], "priority": 3}],
     "quietHours": {"windows": [{"from": "22:00", "to": "07:30"}]},
     "frequencyCaps": [{"limit": 8, "per": "calendarDay", "types": ["water"]}]}
    """

  struct Reminder {
    var id: String
    var title: String
    /// The wall clock's, on the day.
    var at: String
    var daysAhead = 0
    var rings = InterruptionLevel.active
  }

  static let reminders =
    (9...19).map { hour in
      Reminder(
        id: "water.\(hour)", title: "Drink a glass of water", at: hour < 10 ? "0\(hour):00" : "\(hour):00")
    } + [
      Reminder(id: "habit.run", title: "Run", at: "06:30"),
      Reminder(id: "habit.stretch", title: "Stretch", at: "13:30"),
      Reminder(id: "habit.pages", title: "Three pages", at: "22:30"),
      Reminder(id: "bill.rent", title: "The rent is due at midnight", at: "23:00", rings: .timeSensitive),
    ]
    + (1...60).map { Reminder(id: "trip.\($0)", title: "Day \($0) of the trip", at: "12:15", daysAhead: $0) }

  /// At a time of the wall clock.
  enum Event {
    case sync
    case switchNotifications(on: Bool)
    case airplaneMode(Bool)
    case schedule(Reminder)
  }

  static let events: [(at: String, what: Event)] = [
    ("09:30", .sync),
    ("13:00", .switchNotifications(on: false)),
    ("14:10", .switchNotifications(on: true)),
    ("18:20", .airplaneMode(true)),
    ("18:30", .schedule(Reminder(id: "habit.tea", title: "The tea is ready", at: "18:40"))),
    ("20:00", .airplaneMode(false)),
  ]
}

extension Story.Reminder {
  /// As the app asks for it: a time of the wall clock, wherever the phone is then.
  var notification: Carillon.Notification {
    var content = NotificationContent(title: title)
    content.interruptionLevel = rings
    guard let id = NotificationID(id), let day = CivilDate(Story.day),
      let time = LocalDateTime("\(CivilDate(daysSinceEpoch: day.daysSinceEpoch + daysAhead).text)T\(at)")
    else { preconditionFailure("the story names \(self)") }
    return .init(id: id, content: content, trigger: .local(time))
  }
}
