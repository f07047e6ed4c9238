import CarillonModel

/// The POSIX TZ string at the end of a TZif file: what holds after the last transition, e.g.
/// `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 8536, section 3.3; hours up to 167 as in its version 3).
struct PosixRule {
  /// Bytes of its text.
  static let longest = 128

  var standardOffset: Int
  /// Nil where the clock never changes.
  var daylight: Daylight?

  struct Daylight {
    var offset: Int
    var start: YearDay
    var end: YearDay
  }

  /// A day of the year and the time on it, in seconds after midnight, possibly negative or beyond the day.
  struct YearDay {
    enum Form {
      /// 1...365, 29 February is never counted.
      case julian(Int)
      /// 0...365, 29 February is counted.
      case zeroBased(Int)
      /// `week` 5 is the last; weekday 0 is Sunday.
      case monthWeekday(month: Int, week: Int, weekday: Int)
    }
    var form: Form
    var time: Int

    /// Seconds since 1970 on the wall clock of that year.
    func wallSeconds(in year: Int) -> Int {
      let day: Int
      switch form {
      case .julian(let number):
        day = Civil.days(year, 1, 1) + number - 1 + (Civil.isLeap(year) && number >= 60 ? 1 : 0)
      case .zeroBased(let number):
        day = Civil.days(year, 1, 1) + number
      case .monthWeekday(let month, let week, let weekday):
        let first = Civil.days(year, month, 1)
        var found = first + Civil.floorModulo(weekday + 1 - Civil.weekday(first), 7) + 7 * (week - 1)
        if found >= first + Civil.length(ofMonth: month, year) { found -= 7 }
        day = found
      }
      return day * Civil.secondsPerDay + time
    }
  }

  /// The transitions of a year, ascending.
  func transitions(in year: Int) -> [(at: Int, offset: Int)] {
    guard let daylight else { return [] }
    let start = (at: daylight.start.wallSeconds(in: year) - standardOffset, offset: daylight.offset)
    let end = (at: daylight.end.wallSeconds(in: year) - daylight.offset, offset: standardOffset)
    return end.at <= start.at ? [end, start] : [start, end]
  }
}

extension PosixRule {
  /// Nil when the text is not a TZ string.
  init?(_ text: some Collection<UInt8>) {
    var scanner = Scanner(rest: Array(text)[...])
    guard scanner.skipName(), let offset = scanner.offset() else { return nil }
    standardOffset = -offset
    guard !scanner.rest.isEmpty else { return }
    guard scanner.skipName() else { return nil }
    var daylightOffset = standardOffset + 3600
    if scanner.rest.first != UInt8(ascii: ",") {
      guard let offset = scanner.offset() else { return nil }
      daylightOffset = -offset
    }
    guard abs(daylightOffset) <= ZoneTable.farthestOffset else { return nil }
    guard scanner.skip(","), let start = scanner.yearDay(), scanner.skip(","), let end = scanner.yearDay(),
      scanner.rest.isEmpty
    else { return nil }
    daylight = Daylight(offset: daylightOffset, start: start, end: end)
  }

  private struct Scanner {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    /// `CET` or `<+03>`.
    mutating func skipName() -> Bool {
      if skip("<") {
        guard let close = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
        rest = rest[(close + 1)...]
        return true
      }
      let letters = rest.prefix { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
      rest = rest.dropFirst(letters.count)
      return letters.count >= 3
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int? {
      let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      guard (1...3).contains(digits.count) else { return nil }
      let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      rest = rest.dropFirst(digits.count)
      return range.contains(value) ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func time() -> Int? {
      let negative = skip("-")
      if !negative { _ = skip("+") }
      guard var seconds = number(0...167).map({ $0 * 3600 }) else { return nil }
      for unit in [60, 1] where skip(":") {
        guard let part = number(0...59) else { return nil }
        seconds += part * unit
      }
      return negative ? -seconds : seconds
    }

    /// A time that can be a clock's distance from Greenwich.
    mutating func offset() -> Int? {
      guard let offset = time(), abs(offset) <= ZoneTable.farthestOffset else { return nil }
      return offset
    }

    mutating func yearDay() -> YearDay? {
      let form: YearDay.Form
      if skip("M") {
        guard let month = number(1...12), skip("."), let week = number(1...5), skip("."),
          let weekday = number(0...6)
        else { return nil }
        form = .monthWeekday(month: month, week: week, weekday: weekday)
      } else if skip("J") {
        guard let day = number(1...365) else { return nil }
        form = .julian(day)
      } else {
        guard let day = number(0...365) else { return nil }
        form = .zeroBased(day)
      }
      guard skip("/") else { return YearDay(form: form, time: 7200) }
      guard let time = time() else { return nil }
      return YearDay(form: form, time: time)
    }
  }
}
