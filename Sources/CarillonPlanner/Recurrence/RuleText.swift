import CarillonModel

/// A stretch of a rule's text, read from left to right.
struct RuleText: Equatable, CustomStringConvertible {
  private var bytes: ArraySlice<UInt8>
  /// Whether there is no further item, not even an empty one.
  private(set) var isOver = false

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  static func == (left: RuleText, right: RuleText) -> Bool { left.bytes.elementsEqual(right.bytes) }

  var description: String { String(decoding: bytes, as: UTF8.self) }
  var isEmpty: Bool { bytes.isEmpty }

  func `is`(_ text: String) -> Bool { bytes.elementsEqual(text.utf8) }

  /// What stands before the next separator, or else the rest; nil after the last.
  mutating func next(before separator: UInt8) -> RuleText? {
    guard !isOver else { return nil }
    guard let end = bytes.firstIndex(of: separator) else {
      isOver = true
      return RuleText(bytes)
    }
    defer { bytes = bytes[(end + 1)...] }
    return RuleText(bytes[..<end])
  }

  /// All but the last so many bytes, and those.
  func splitLast(_ count: Int) -> (RuleText, RuleText) {
    (RuleText(bytes.dropLast(count)), RuleText(bytes.suffix(count)))
  }

  /// `SU`...`SA` as Apple's 1...7.
  var weekday: Int? {
    guard bytes.count == 2 else { return nil }
    let letters = Int(bytes[bytes.startIndex]) << 8 | Int(bytes[bytes.startIndex + 1])
    return switch letters {
    case 0x5355: 1
    case 0x4d4f: 2
    case 0x5455: 3
    case 0x5745: 4
    case 0x5448: 5
    case 0x4652: 6
    case 0x5341: 7
    default: nil
    }
  }

  /// Up to six digits, with or without a sign.
  private var integer: Int? {
    var digits = bytes
    let sign = digits.first
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { digits = digits.dropFirst() }
    guard (1...6).contains(digits.count) else { return nil }
    var value = 0
    for byte in digits {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return sign == UInt8(ascii: "-") ? -value : value
  }

  func number(in range: ClosedRange<Int>, _ name: String) throws(TriggerRefusal) -> Int {
    guard let value = integer, range.contains(value) else {
      throw RecurrenceRule.invalid("\(name) takes \(range.lowerBound)...\(range.upperBound), not \(self).")
    }
    return value
  }

  /// One bit for each number of a list.
  func set(of range: ClosedRange<Int>, _ name: String) throws(TriggerRefusal) -> UInt64 {
    var set: UInt64 = 0
    var items = self
    while let item = items.next(before: UInt8(ascii: ",")) {
      set |= 1 << UInt64(try item.number(in: range, name))
    }
    return set
  }

  /// Other than 0; a negative one is counted from the end.
  func signedNumber(upTo most: Int, _ name: String) throws(TriggerRefusal) -> Int {
    let value = try number(in: -most...most, name)
    guard value != 0 else { throw RecurrenceRule.invalid("\(name) does not take 0.") }
    return value
  }

  func signedNumbers(upTo most: Int, _ name: String) throws(TriggerRefusal) -> [Int] {
    var numbers: [Int] = []
    var items = self
    while let item = items.next(before: UInt8(ascii: ",")) {
      numbers.append(try item.signedNumber(upTo: most, name))
    }
    return numbers
  }

  /// `20261231`, `20261231T235959` or, in UTC, `20261231T235959Z`. A date means its midnight, as `dateutil` takes it.
  func until() throws(TriggerRefusal) -> RecurrenceRule.Until {
    let isUTC = bytes.last == UInt8(ascii: "Z")
    let digits = Array(isUTC ? bytes.dropLast() : bytes)
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
    else {
      throw RecurrenceRule.invalid("UNTIL=\(self) is no date or date-time such as 20261231T235959Z.")
    }
    var seconds = Civil.days(year, month, day) * Civil.secondsPerDay
    if digits.count == 15 {
      guard let hour = value(9..<11), let minute = value(11..<13), let second = value(13..<15), hour < 24,
        minute < 60, second < 60
      else { throw RecurrenceRule.invalid("UNTIL=\(self) has no such time.") }
      seconds += hour * 3600 + minute * 60 + second
    }
    return isUTC ? .instant(seconds) : .wall(seconds)
  }
}
