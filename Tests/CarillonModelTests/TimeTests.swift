import CarillonModel
import TestSupport
import Testing

@Suite("Civil dates")
struct CivilDateTests {
  @Test(arguments: [
    (1970, 1, 1, 0, 5), (2000, 2, 29, 11_016, 3), (2026, 11, 30, 20_787, 2), (1969, 12, 31, -1, 4),
    (2199, 12, 31, 84_005, 3), (1600, 2, 29, -135_081, 3), (0, 3, 1, -719_468, 4),
  ])
  func knownDays(_ year: Int, _ month: Int, _ day: Int, _ number: Int, _ weekday: Int) {
    let date = CivilDate(year: year, month: month, day: day)
    #expect(date.daysSinceEpoch == number)
    #expect(CivilDate(daysSinceEpoch: number) == date)
    #expect(date.weekday == weekday)
  }

  @Test func daysFollowOneAnotherForFourCenturies() {
    var expected = CivilDate(year: 1899, month: 12, day: 31)
    var weekday = expected.weekday
    let first = expected.daysSinceEpoch
    for number in (first + 1)...(first + 146_097) {
      expected.day += 1
      if expected.day > CivilDate.daysInMonth(expected.month, ofYear: expected.year) {
        (expected.day, expected.month) = (1, expected.month + 1)
        if expected.month > 12 { (expected.month, expected.year) = (1, expected.year + 1) }
      }
      weekday = weekday % 7 + 1
      guard CivilDate(daysSinceEpoch: number) == expected, expected.daysSinceEpoch == number,
        expected.weekday == weekday
      else {
        Issue.record("day \(number) is not \(expected)")
        return
      }
    }
  }
}

@Suite("Texts of times")
struct TimeTextTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2016-01-10T07:00:00.01Z", 1_452_409_200_010),
    ("2026-12-01T09:00:00+01:00", 1_796_112_000_000),
    ("2026-12-01T08:00:00-00:00", 1_796_112_000_000), ("2026-11-30T23:59:59.999999999Z", 1_796_083_199_999),
    ("1969-12-31T23:59:59.5Z", -500), ("2024-02-29T00:00:00Z", 1_709_164_800_000),
    ("2026-01-01T00:00:00+23:59", 1_767_139_260_000),
  ])
  func instants(_ text: String, _ milliseconds: Int64) {
    #expect(Instant(text)?.milliseconds == milliseconds)
  }

  /// Case 13: texts that one engine takes and another does not, and days that do not exist.
  @Test(arguments: [
    "2016-01-10 07:00:00.01", "2016-01-10T07:00:00", "2016-02-30T07:00:00Z", "2016-01-10 07:00:00Z",
    "2016-01-10",
    "2015-02-29T00:00:00Z", "2016-04-31T00:00:00Z", "2016-13-01T00:00:00Z", "2016-00-01T00:00:00Z",
    "2016-01-00T00:00:00Z",
    "2016-01-10T24:00:00Z", "2016-01-10T07:60:00Z", "2016-01-10T07:00:60Z", "2016-01-10T07:00Z",
    "2016-01-10T07:00:00.Z",
    "2016-01-10T07:00:00.1234567890Z", "2016-01-10T07:00:00+1:00", "2016-01-10T07:00:00+0100",
    "2016-01-10T07:00:00+24:00",
    "2016-01-10T07:00:00ZZ", " 2016-01-10T07:00:00Z", "2016-1-10T07:00:00Z", "", "+2016-01-10T07:00:00Z",
    "２016-01-10T07:00:00Z",
  ])
  func notInstants(_ text: String) { #expect(Instant(text) == nil) }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1_452_409_200_010, "2016-01-10T07:00:00.010Z"),
      (-500, "1969-12-31T23:59:59.500Z"),
    ] as [(Int64, String)])
  func instantsAreWrittenInUTC(_ milliseconds: Int64, _ text: String) {
    #expect(Instant(milliseconds: milliseconds).text == text)
  }

  @Test(arguments: [
    ("2026-12-01T08:00", "2026-12-01T08:00"), ("2026-12-01T08:00:00", "2026-12-01T08:00"),
    ("2026-12-01T23:59:30", "2026-12-01T23:59:30"), ("2024-02-29T00:00", "2024-02-29T00:00"),
  ])
  func localTimes(_ text: String, _ written: String) throws {
    let time = try #require(LocalDateTime(text))
    #expect(time.text == written)
    #expect(LocalDateTime(written) == time)
  }

  @Test(arguments: [
    "2026-12-01T08:00Z", "2026-12-01T08:00+01:00", "2026-12-01", "2026-02-30T08:00", "2026-12-01T24:00",
    "2026-12-01T8:00",
    "2026-12-01T08:00:60", "2026-12-01T08:00:00.5", "2026-12-01 08:00", "",
  ])
  func notLocalTimes(_ text: String) { #expect(LocalDateTime(text) == nil) }

  @Test func boundsAreDatesOrTimes() {
    #expect(LocalBound("2021-01-02")?.text == "2021-01-02")
    #expect(LocalBound("2021-01-02")?.wallTime == LocalDateTime("2021-01-02T00:00"))
    #expect(LocalBound("2021-01-02T11:30")?.text == "2021-01-02T11:30")
    #expect(LocalBound("2021-01-02") != LocalBound("2021-01-02T00:00"))
    for bad in ["2021-02-29", "2021-01-2", "2021-01-02T", "2021-01-02T00:00Z", ""] {
      #expect(LocalBound(bad) == nil)
    }
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max), 1])
  func textsReadBackEqual(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      let instant = Instant(
        milliseconds: Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random))
      #expect(Instant(instant.text) == instant, "seed \(seed)")
      let local = LocalDateTime(
        wallSeconds: Int64.random(in: -62_135_596_800...253_402_300_799, using: &random))
      #expect(LocalDateTime(local.text) == local, "seed \(seed)")
      #expect(LocalDateTime(date: local.date, secondOfDay: local.secondOfDay) == local, "seed \(seed)")
    }
  }
}
