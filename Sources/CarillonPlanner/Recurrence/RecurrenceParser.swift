import CarillonModel

extension RecurrenceRule {
  /// Reads a rule such as `FREQ=MONTHLY;BYDAY=-1FR;COUNT=12`.
  ///
  /// Times less than a minute apart are refused, as Apple refuses intervals that are.
  ///
  /// - Parameter start: the first wall time, which gives what the rule leaves out.
  init(_ text: String, start: LocalDateTime) throws(TriggerRefusal) {
    var parts: [String: Substring] = [:]
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, parts.updateValue(pair[1], forKey: String(pair[0])) == nil else {
        throw Self.invalid("\"\(part)\" is no NAME=VALUE part, or is there twice.")
      }
    }
    for (name, value) in parts.sorted(by: { $0.key < $1.key }) { try read(name, value) }
    guard parts["FREQ"] != nil else { throw Self.invalid("FREQ is missing.") }
    guard count == nil || until == nil else { throw Self.invalid("COUNT and UNTIL exclude each other.") }
    try checkCombinations()
    complete(from: start)
    try checkSpacing()
  }

  private mutating func read(_ name: String, _ value: Substring) throws(TriggerRefusal) {
    switch name {
    case "FREQ": frequency = try Self.frequency(value)
    case "INTERVAL": interval = try Self.number(value, 1...Self.mostInterval, name)
    case "COUNT": count = try Self.number(value, 1...Self.mostCount, name)
    case "UNTIL": until = try Self.until(value)
    case "WKST":
      guard let weekday = Self.weekday(value) else { throw Self.invalid("WKST=\(value) is no weekday.") }
      weekStart = weekday
    case "BYMONTH": months = try Self.set(value, 1...12, name)
    case "BYHOUR": hours = try Self.set(value, 0...23, name)
    case "BYMINUTE": minutes = try Self.set(value, 0...59, name)
    case "BYSECOND": seconds = try Self.set(value, 0...59, name)
    case "BYMONTHDAY":
      for number in try Self.numbers(value, 31, name) {
        if number > 0 { monthDays |= 1 << UInt64(number) } else { monthDaysFromEnd |= 1 << UInt64(-number) }
      }
    case "BYYEARDAY": yearDays = try Self.numbers(value, 366, name)
    case "BYWEEKNO": weekNumbers = Set(try Self.numbers(value, 53, name))
    case "BYSETPOS": setPositions = try Self.numbers(value, 366, name)
    case "BYDAY": try readWeekdays(value)
    default: throw TriggerRefusal(.unsupportedRulePart, Self.pointer, "\(name) is not supported.")
    }
  }

  private mutating func readWeekdays(_ value: Substring) throws(TriggerRefusal) {
    for item in value.split(separator: ",", omittingEmptySubsequences: false) {
      guard let weekday = Self.weekday(item.suffix(2)) else {
        throw Self.invalid("BYDAY has no day \(item).")
      }
      let ordinal = item.dropLast(2)
      if ordinal.isEmpty {
        weekdays |= 1 << UInt64(weekday)
      } else {
        let number = try Self.numbers(ordinal, 53, "BYDAY")[0]
        nthWeekdays.append(NthWeekday(weekday: weekday, ordinal: number))
      }
    }
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
    let hasOther =
      months | monthDays | monthDaysFromEnd | weekdays | hours | minutes | seconds != 0
      || !(yearDays.isEmpty && weekNumbers.isEmpty && nthWeekdays.isEmpty)
    if !setPositions.isEmpty, !hasOther { throw Self.invalid("BYSETPOS needs another BY part.") }
  }

  private func checkSpacing() throws(TriggerRefusal) {
    guard seconds.nonzeroBitCount > 1 else { return }
    let perSecond =
      (frequency == .minutely ? 1 : minutes.nonzeroBitCount)
      * (frequency == .minutely || frequency == .hourly ? 1 : hours.nonzeroBitCount)
    guard seconds.nonzeroBitCount * perSecond <= Self.mostTimes else {
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

  private mutating func complete(from start: LocalDateTime) {
    let day = Civil.floorDivide(Int(start.wallSeconds), Civil.secondsPerDay)
    let time = Int(start.wallSeconds) - day * Civil.secondsPerDay
    let date = Civil.date(day)
    let namesDays =
      monthDays | monthDaysFromEnd | weekdays != 0
      || !(yearDays.isEmpty && weekNumbers.isEmpty && nthWeekdays.isEmpty)
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
    nthWeekdays = reachableNthWeekdays
    if hours == 0, frequency != .hourly, frequency != .minutely { hours = 1 << UInt64(time / 3600) }
    if minutes == 0, frequency != .minutely { minutes = 1 << UInt64(time / 60 % 60) }
    if seconds == 0 { seconds = 1 << UInt64(time % 60) }
  }

  /// Each once; nothing but a year has a sixth Monday. One that no period has is left, so that it chooses nothing.
  private var reachableNthWeekdays: [NthWeekday] {
    let most = frequency == .yearly && months == 0 ? 53 : 5
    let reachable = nthWeekdays.filter { abs($0.ordinal) <= most }
    let kept = reachable.isEmpty ? Array(nthWeekdays.prefix(1)) : reachable
    return Set(kept).sorted { ($0.weekday, $0.ordinal) < ($1.weekday, $1.ordinal) }
  }

  // MARK: Values

  private static let pointer = "/trigger/rule"

  private static func invalid(_ detail: String) -> TriggerRefusal {
    TriggerRefusal(.invalidRule, pointer, detail)
  }

  private static func frequency(_ value: Substring) throws(TriggerRefusal) -> Frequency {
    switch value {
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

  private static func weekday(_ text: Substring) -> Int? {
    ["SU", "MO", "TU", "WE", "TH", "FR", "SA"].firstIndex(of: String(text)).map { $0 + 1 }
  }

  private static func number(
    _ text: Substring, _ range: ClosedRange<Int>, _ name: String
  ) throws(TriggerRefusal) -> Int {
    guard (1...6).contains(text.utf8.count), let value = Int(text), range.contains(value) else {
      throw invalid("\(name) takes \(range.lowerBound)...\(range.upperBound), not \(text).")
    }
    return value
  }

  private static func set(
    _ text: Substring, _ range: ClosedRange<Int>, _ name: String
  ) throws(TriggerRefusal) -> UInt64 {
    var set: UInt64 = 0
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      set |= 1 << UInt64(try number(item, range, name))
    }
    return set
  }

  /// Numbers other than 0, negative ones counted from the end.
  private static func numbers(
    _ text: Substring, _ most: Int, _ name: String
  ) throws(TriggerRefusal) -> [Int] {
    var numbers: [Int] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let value = try number(item, -most...most, name)
      guard value != 0 else { throw invalid("\(name) does not take 0.") }
      numbers.append(value)
    }
    return numbers
  }

  /// `20261231`, `20261231T235959` or, in UTC, `20261231T235959Z`. A date means its midnight, as `dateutil` takes it.
  private static func until(_ text: Substring) throws(TriggerRefusal) -> Until {
    let isUTC = text.hasSuffix("Z")
    let digits = Array((isUTC ? text.dropLast() : text).utf8)
    func value(_ range: Range<Int>) -> Int? {
      var value = 0
      for byte in digits[range] {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return value
    }
    guard digits.count == 8 && !isUTC || digits.count == 15 && digits[8] == UInt8(ascii: "T"),
      let year = value(0..<4), let month = value(4..<6), let day = value(6..<8), (1...12).contains(month),
      (1...Civil.length(ofMonth: month, year)).contains(day)
    else { throw invalid("UNTIL=\(text) is no date or date-time such as 20261231T235959Z.") }
    var seconds = Civil.days(year, month, day) * Civil.secondsPerDay
    if digits.count == 15 {
      guard let hour = value(9..<11), let minute = value(11..<13), let second = value(13..<15), hour < 24,
        minute < 60, second < 60
      else { throw invalid("UNTIL=\(text) has no such time.") }
      seconds += hour * 3600 + minute * 60 + second
    }
    return isUTC ? .instant(seconds) : .wall(seconds)
  }
}
