import CarillonModel

/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110, section 5.6.7). The obsolete forms
/// are not read.
struct HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  let secondsSinceEpoch: Int

  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
      let day = Self.number(parts[1], digits: 2), let month = Self.months.firstIndex(of: String(parts[2])),
      let year = Self.number(parts[3], digits: 4),
      let date = CivilDate(checkingYear: year, month: month + 1, day: day)
    else { return nil }
    let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
    guard time.count == 3, let hour = Self.number(time[0], digits: 2), hour < 24,
      let minute = Self.number(time[1], digits: 2), minute < 60,
      let second = Self.number(time[2], digits: 2), second <= 60
    else { return nil }
    secondsSinceEpoch = date.daysSinceEpoch * 86_400 + hour * 3_600 + minute * 60 + second
  }

  private static func number(_ text: Substring, digits: Int) -> Int? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
