import CarillonModel

extension RecurrenceRule {
  /// Reads a rule such as `FREQ=MONTHLY;BYDAY=-1FR;COUNT=12`.
  ///
  /// Times less than a minute apart are refused, as Apple refuses intervals that are.
  ///
  /// - Parameter start: the first wall time, which gives what the rule leaves out.
  init(_ text: String, start: LocalDateTime) throws(TriggerRefusal) {
    let bytes = Array(text.utf8)
    guard bytes.count <= RecurrenceTrigger.longestRule else {
      throw Self.invalid("A rule has at most \(RecurrenceTrigger.longestRule) bytes.")
    }
    var names: [RuleText] = []
    var rest = RuleText(bytes[...])
    while let part = rest.next(before: UInt8(ascii: ";")) {
      var value = part
      guard let name = value.next(before: UInt8(ascii: "=")), !value.isOver, !names.contains(name) else {
        throw Self.invalid("\"\(part)\" is no NAME=VALUE part, or is there twice.")
      }
      names.append(name)
      try read(name.description, value)
    }
    guard names.contains(where: { $0.is("FREQ") }) else { throw Self.invalid("FREQ is missing.") }
    guard count == nil || until == nil else { throw Self.invalid("COUNT and UNTIL exclude each other.") }
    try checkCombinations()
    complete(from: start)
    try checkSpacing()
  }

  private mutating func read(_ name: String, _ value: RuleText) throws(TriggerRefusal) {
    switch name {
    case "FREQ": frequency = try Self.frequency(value)
    case "INTERVAL": interval = try value.number(in: 1...Self.mostInterval, name)
    case "COUNT": count = try value.number(in: 1...Self.mostCount, name)
    case "UNTIL": until = try value.until()
    case "WKST":
      guard let weekday = value.weekday else { throw Self.invalid("WKST=\(value) is no weekday.") }
      weekStart = weekday
    case "BYMONTH": months = try value.set(of: 1...12, name)
    case "BYHOUR": hours = try value.set(of: 0...23, name)
    case "BYMINUTE": minutes = try value.set(of: 0...59, name)
    case "BYSECOND": seconds = try value.set(of: 0...59, name)
    case "BYMONTHDAY":
      for number in try value.signedNumbers(upTo: 31, name) {
        if number > 0 { monthDays |= 1 << UInt64(number) } else { monthDaysFromEnd |= 1 << UInt64(-number) }
      }
    case "BYYEARDAY": yearDays = try value.signedNumbers(upTo: 366, name)
    case "BYWEEKNO": weekNumbers = Set(try value.signedNumbers(upTo: 53, name))
    case "BYSETPOS": setPositions = try value.signedNumbers(upTo: 366, name)
    case "BYDAY": try readWeekdays(value)
    default: throw TriggerRefusal(.unsupportedRulePart, Self.pointer, "\(name) is not supported.")
    }
  }

  private mutating func readWeekdays(_ value: RuleText) throws(TriggerRefusal) {
    var items = value
    while let item = items.next(before: UInt8(ascii: ",")) {
      let (ordinal, day) = item.splitLast(2)
      guard let weekday = day.weekday else { throw Self.invalid("BYDAY has no day \(item).") }
      if ordinal.isEmpty {
        weekdays |= 1 << UInt64(weekday)
      } else {
        nthWeekdays.append(
          NthWeekday(weekday: weekday, ordinal: try ordinal.signedNumber(upTo: 53, "BYDAY")))
      }
    }
  }

  // MARK: What does not go together

  private var namesDays: Bool {
    monthDays | monthDaysFromEnd | weekdays != 0
      || !(yearDays.isEmpty && weekNumbers.isEmpty && nthWeekdays.isEmpty)
  }

  /// What RFC 5545 forbids to combine.
  private func checkCombinations() throws(TriggerRefusal) {
    if !nthWeekdays.isEmpty {
      guard frequency == .monthly || frequency == .yearly, weekNumbers.isEmpty else {
        throw Self.invalid("BYDAY with a number needs FREQ=MONTHLY, or FREQ=YEARLY without BYWEEKNO.")
      }
    }
    if !weekNumbers.isEmpty, frequency != .yearly { throw Self.invalid("BYWEEKNO needs FREQ=YEARLY.") }
    if !yearDays.isEmpty, [.monthly, .weekly, .daily].contains(frequency) {
      throw Self.invalid("BYYEARDAY needs FREQ=YEARLY, HOURLY or MINUTELY.")
    }
    if monthDays | monthDaysFromEnd != 0, frequency == .weekly {
      throw Self.invalid("BYMONTHDAY does not go with FREQ=WEEKLY.")
    }
    if !setPositions.isEmpty, !namesDays, months | hours | minutes | seconds == 0 {
      throw Self.invalid("BYSETPOS needs another BY part.")
    }
  }

  private func checkSpacing() throws(TriggerRefusal) {
    guard seconds.nonzeroBitCount > 1 else { return }
    let minuteCount = frequency == .minutely ? 1 : minutes.nonzeroBitCount
    let hourCount = frequency == .minutely || frequency == .hourly ? 1 : hours.nonzeroBitCount
    guard seconds.nonzeroBitCount * minuteCount * hourCount <= Self.mostTimes else {
      throw Self.invalid("BYHOUR, BYMINUTE and BYSECOND give more than \(Self.mostTimes) times a day.")
    }
    let used = usedTimes(of: allTimes)
    let isClose = zip(used, used.dropFirst()).contains { $1 - $0 < Self.shortestSpacing }
    if isClose || used.count > 1 && used[0] + cycle - used[used.count - 1] < Self.shortestSpacing {
      throw TriggerRefusal(
        .unsupportedRulePart, Self.pointer,
        "BYSECOND gives times less than \(Self.shortestSpacing) seconds apart; leave one second in it.")
    }
  }

  // MARK: What is left out

  private mutating func complete(from start: LocalDateTime) {
    let day = Civil.floorDivide(Int(start.wallSeconds), Civil.secondsPerDay)
    let time = Int(start.wallSeconds) - day * Civil.secondsPerDay
    let date = Civil.date(day)
    if !namesDays {
      switch frequency {
      case .yearly:
        if months == 0 { months = 1 << UInt64(date.month) }
        monthDays = 1 << UInt64(date.day)
      case .monthly: monthDays = 1 << UInt64(date.day)
      case .weekly: weekdays = 1 << UInt64(Civil.weekday(day))
      case .daily, .hourly, .minutely: break
      }
    }
    if !nthWeekdays.isEmpty {
      nthWeekdays = reachableNthWeekdays
      nthWeekdaysOfMonths = nthWeekdaysByMonth()
    }
    if hours == 0, frequency != .hourly, frequency != .minutely { hours = 1 << UInt64(time / 3600) }
    if minutes == 0, frequency != .minutely { minutes = 1 << UInt64(time / 60 % 60) }
    if seconds == 0 { seconds = 1 << UInt64(time % 60) }
  }

  /// Each once; nothing but a year has a sixth Monday. One that no period has is left, so that it chooses nothing.
  private var reachableNthWeekdays: [NthWeekday] {
    let most = countsWeekdaysInYear ? 53 : 5
    let reachable = nthWeekdays.filter { abs($0.ordinal) <= most }
    return reachable.isEmpty ? Array(nthWeekdays.prefix(1)) : Array(Set(reachable))
  }

  private static func frequency(_ value: RuleText) throws(TriggerRefusal) -> Frequency {
    switch value.description {
    case "YEARLY": return .yearly
    case "MONTHLY": return .monthly
    case "WEEKLY": return .weekly
    case "DAILY": return .daily
    case "HOURLY": return .hourly
    case "MINUTELY": return .minutely
    case "SECONDLY":
      throw TriggerRefusal(
        .unsupportedRulePart, pointer,
        "FREQ=SECONDLY is not supported: times are \(shortestSpacing) seconds apart at least.")
    default: throw invalid("FREQ=\(value) is no frequency.")
    }
  }

  private static let pointer = "/trigger/rule"

  static func invalid(_ detail: String) -> TriggerRefusal { TriggerRefusal(.invalidRule, pointer, detail) }
}
