import CarillonModel

/// One occurrence of a trigger. Seconds.
struct NaiveFire: Hashable {
  var at: Int64
  var wall: Int64
}

/// The fires of what repeats, found by asking every day whether it is one. It knows the sets of components and the
/// recurrences of ``RandomWorld`` only.
enum NaiveFires {
  /// The fires of some days in their order, each instant once.
  private static func sorted(_ fires: [NaiveFire]) -> [NaiveFire] {
    var sorted: [NaiveFire] = []
    for fire in fires.sorted(by: { ($0.at, $0.wall) < ($1.at, $1.wall) }) where fire.at != sorted.last?.at {
      sorted.append(fire)
    }
    return sorted
  }

  // MARK: Calendar

  /// All fires in `(after, until]`, whatever the trigger's start and end.
  static func natural(
    _ trigger: CalendarTrigger, _ clock: NaiveClock, after: Int64, until: Int64
  ) -> [NaiveFire] {
    var fires: [NaiveFire] = []
    // A gap moves a wall time by less than a day.
    for day in (clock.day(at: after) - 2)...(clock.day(at: until) + 1) {
      for wall in walls(trigger, on: day) { fires.append(NaiveFire(at: clock.fire(of: wall), wall: wall)) }
    }
    return sorted(fires).filter { $0.at > after && $0.at <= until }
  }

  /// The first natural fire after an instant, at most four years on.
  static func next(_ trigger: CalendarTrigger, _ clock: NaiveClock, after: Int64) -> NaiveFire? {
    var until = after
    for days in [3, 40, 400, 1_500] {
      let fires = natural(trigger, clock, after: until, until: after + Int64(days) * 86_400)
      if let first = fires.first { return first }
      until = after + Int64(days) * 86_400
    }
    return nil
  }

  static func walls(_ trigger: CalendarTrigger, on day: Int) -> [Int64] {
    guard isDay(day, trigger) else { return [] }
    let set = trigger.components
    let start = Int64(day) * 86_400
    let (minute, second) = (Int64(set.minute ?? 0), Int64(set.second ?? 0))
    if let hour = set.hour { return [start + Int64(hour) * 3600 + minute * 60 + second] }
    if hasDate(set) { return [start + minute * 60 + second] }
    if set.minute != nil { return (0..<24).map { start + $0 * 3600 + minute * 60 + second } }
    return (0..<1_440).map { start + $0 * 60 + second }
  }

  static func hasDate(_ set: CalendarComponents) -> Bool {
    set.year != nil || set.month != nil || set.day != nil || set.weekday != nil
  }

  private static func isDay(_ day: Int, _ trigger: CalendarTrigger) -> Bool {
    let set = trigger.components
    let date = CivilDate(daysSinceEpoch: day)
    if let weekday = set.weekday {
      return date.weekday == weekday && set.weekdayOrdinal.map { (date.day - 1) / 7 + 1 == $0 } ?? true
    }
    guard set.day != nil || set.month != nil || set.year != nil else { return true }
    let before = CivilDate(daysSinceEpoch: day - date.day)
    return [date, before].contains { month in
      if let year = set.year, year != month.year { return false }
      if let wanted = set.month ?? (set.year == nil ? nil : 1), wanted != month.month { return false }
      return place(set.day ?? 1, month, trigger.onMissingDay) == day
    }
  }

  /// The day number that a day of a month comes to.
  private static func place(_ day: Int, _ month: CivilDate, _ missing: MissingDayRule) -> Int? {
    let first = CivilDate(year: month.year, month: month.month, day: 1).daysSinceEpoch
    let length = CivilDate.daysInMonth(month.month, ofYear: month.year)
    if day <= length { return first + day - 1 }
    switch missing {
    case .skip: return nil
    case .lastDay: return first + length - 1
    case .nextDay: return first + length
    }
  }

  /// Whether a device that is told to repeat these components rings exactly then, clock changes aside.
  static func isAppleOwn(_ set: CalendarComponents) -> Bool {
    if let day = set.day {
      if let year = set.year {
        if day > CivilDate.daysInMonth(set.month ?? 1, ofYear: year) { return false }
      } else if let month = set.month {
        if month == 2 && day == 29 { return false }
      } else if day > 28 {
        return false
      }
    }
    if set.weekdayOrdinal == 5 { return false }
    return !(set.weekday != nil && set.minute != nil && set.hour == nil)
  }

  // MARK: Recurrence

  /// All fires in `(after, until]` of a daily, weekly or monthly rule.
  static func recurrence(
    _ trigger: RecurrenceTrigger, _ clock: NaiveClock, after: Int64, until: Int64
  ) -> [NaiveFire] {
    var parts: [String: String] = [:]
    for part in trigger.rule.split(separator: ";") {
      let pair = part.split(separator: "=")
      parts[String(pair[0])] = String(pair[1])
    }
    let interval = Int(parts["INTERVAL"] ?? "1")!
    let start = NaiveClock.day(ofWall: trigger.start.wallSeconds)
    let time = trigger.start.wallSeconds - Int64(start) * 86_400
    var left = Int(parts["COUNT"] ?? "1000000")!
    var fires: [NaiveFire] = []
    var day = start
    let lastDay = clock.day(at: until) + 1
    while left > 0, day <= lastDay {
      if matches(day, parts, start: start, interval: interval) {
        left -= 1
        let wall = Int64(day) * 86_400 + time
        if !trigger.except.contains(LocalDateTime(wallSeconds: wall)) {
          fires.append(NaiveFire(at: clock.fire(of: wall), wall: wall))
        }
      }
      day += 1
    }
    return sorted(fires).filter { $0.at > after && $0.at <= until }
  }

  private static func matches(_ day: Int, _ parts: [String: String], start: Int, interval: Int) -> Bool {
    let (date, first) = (CivilDate(daysSinceEpoch: day), CivilDate(daysSinceEpoch: start))
    let names = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
    let weekdays = parts["BYDAY"]?.split(separator: ",").map { names.firstIndex(of: String($0))! + 1 }
    switch parts["FREQ"] {
    case "DAILY":
      return (day - start) % interval == 0 && weekdays?.contains(date.weekday) ?? true
    case "WEEKLY":
      // Weeks begin on Mondays; 1970-01-05 was one.
      let weeks = (day - 4) / 7 - (start - 4) / 7
      return weeks % interval == 0 && (weekdays ?? [first.weekday]).contains(date.weekday)
    case "MONTHLY":
      let months = (date.year - first.year) * 12 + date.month - first.month
      let wanted = parts["BYMONTHDAY"].map { Int($0)! } ?? first.day
      return months % interval == 0 && date.day == wanted
    default: preconditionFailure("not in these worlds")
    }
  }
}
