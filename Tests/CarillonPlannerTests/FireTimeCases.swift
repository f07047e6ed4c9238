import CarillonModel
import CarillonPlanner
import Testing

/// When calendar triggers fire: the field cases about dates and clocks.
@Suite struct FireTimeCases {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var zone = "UTC"
    var set: @Sendable (inout CalendarComponents) -> Void
    var missing = MissingDayRule.skip
    var startsAt: LocalBound?
    var from: String
    var fires: [String]
    var testDescription: String { name }
  }

  static let day31: @Sendable (inout CalendarComponents) -> Void = { ($0.day, $0.hour) = (31, 9) }
  static let leapDay: @Sendable (inout CalendarComponents) -> Void = {
    ($0.month, $0.day, $0.hour) = (2, 29, 9)
  }
  static let halfPastTwo: @Sendable (inout CalendarComponents) -> Void = { ($0.hour, $0.minute) = (2, 30) }

  static let dayRows: [Row] = [
    Row(
      name: "8A skip", zone: "Europe/Berlin", set: day31, from: "2017-06-15T12:00Z",
      fires: ["2017-07-31T07:00Z"]),
    Row(
      name: "8A lastDay", zone: "Europe/Berlin", set: day31, missing: .lastDay, from: "2017-06-15T12:00Z",
      fires: ["2017-06-30T07:00Z"]),
    Row(
      name: "8A nextDay", zone: "Europe/Berlin", set: day31, missing: .nextDay, from: "2017-06-15T12:00Z",
      fires: ["2017-07-01T07:00Z", "2017-07-31T07:00Z", "2017-08-31T07:00Z"]),
    Row(
      name: "8B lastDay never moves the day", zone: "America/New_York", set: day31, missing: .lastDay,
      from: "2021-01-31T00:00Z", fires: ["2021-01-31T14:00Z", "2021-02-28T14:00Z", "2021-03-31T13:00Z"]),
    Row(
      name: "8C skip", zone: "America/New_York", set: leapDay, from: "2026-03-02T00:00Z",
      fires: ["2028-02-29T14:00Z"]),
    Row(
      name: "8C lastDay", zone: "America/New_York", set: leapDay, missing: .lastDay,
      from: "2026-03-02T00:00Z", fires: ["2027-02-28T14:00Z", "2028-02-29T14:00Z"]),
    Row(
      name: "8C nextDay", zone: "America/New_York", set: leapDay, missing: .nextDay,
      from: "2026-03-02T00:00Z", fires: ["2027-03-01T14:00Z", "2028-02-29T14:00Z"]),
    Row(name: "leap day over 2100", set: leapDay, from: "2096-03-01T00:00Z", fires: ["2104-02-29T09:00Z"]),
    Row(
      name: "day 31 asked on the first", set: day31, missing: .nextDay, from: "2026-05-01T10:00Z",
      fires: ["2026-05-31T09:00Z", "2026-07-01T09:00Z"]),
    Row(
      name: "9 Sunday is 1", zone: "Asia/Jerusalem", set: { ($0.weekday, $0.hour) = (1, 10) },
      from: "2023-05-31T00:00Z", fires: ["2023-06-04T07:00Z", "2023-06-11T07:00Z"]),
    Row(
      name: "9 Monday is 2", zone: "Asia/Jerusalem", set: { ($0.weekday, $0.hour) = (2, 10) },
      from: "2023-05-31T00:00Z", fires: ["2023-06-05T07:00Z"]),
    Row(
      name: "9 February is 2", zone: "America/New_York",
      set: { ($0.month, $0.day, $0.hour) = (2, 1, 9) }, from: "2025-01-15T00:00Z",
      fires: ["2025-02-01T14:00Z", "2026-02-01T14:00Z"]),
    Row(
      name: "10A a start", zone: "America/New_York", set: { $0.hour = 11 },
      startsAt: .date(wall("2021-01-02")), from: "2021-01-01T15:00Z", fires: ["2021-01-02T16:00Z"]),
    Row(
      name: "10B without the date", zone: "America/New_York", set: { $0.hour = 8 },
      from: "2018-06-21T16:00Z", fires: ["2018-06-22T12:00Z"]),
    Row(
      name: "fifth Monday", set: { ($0.weekday, $0.weekdayOrdinal, $0.hour) = (2, 5, 8) },
      from: "2026-11-30T00:00Z", fires: ["2026-11-30T08:00Z", "2027-03-29T08:00Z", "2027-05-31T08:00Z"]),
    Row(
      name: "Friday the 13th", set: { ($0.day, $0.weekday, $0.hour) = (13, 6, 8) },
      from: "2026-11-30T00:00Z", fires: ["2027-08-13T08:00Z", "2028-10-13T08:00Z", "2029-04-13T08:00Z"]),
    Row(
      name: "weekday of a month is its first", set: { ($0.month, $0.weekday, $0.hour) = (3, 2, 8) },
      from: "2026-11-30T00:00Z", fires: ["2027-03-01T08:00Z", "2028-03-06T08:00Z"]),
    Row(
      name: "week of year", set: { ($0.weekOfYear, $0.weekday, $0.hour) = (20, 2, 8) },
      from: "2026-11-30T00:00Z", fires: ["2027-05-10T08:00Z", "2028-05-08T08:00Z"]),
    Row(
      name: "week of year alone is its first day", set: { ($0.weekOfYear, $0.hour) = (20, 8) },
      from: "2026-11-30T00:00Z", fires: ["2027-05-09T08:00Z", "2028-05-07T08:00Z"]),
    Row(
      name: "a full date in the past, this month",
      set: { ($0.year, $0.month, $0.day, $0.hour) = (2026, 11, 3, 8) }, from: "2026-11-30T00:00Z",
      fires: []),
    Row(
      name: "30 February", set: { ($0.month, $0.day) = (2, 30) }, missing: .lastDay,
      from: "2026-11-30T00:00Z", fires: []),
  ]

  static let clockRows: [Row] = [
    Row(
      name: "11 gap", zone: "Europe/Zurich", set: halfPastTwo, from: "2022-03-26T12:00Z",
      fires: ["2022-03-27T01:30Z", "2022-03-28T00:30Z"]),
    Row(
      name: "11 overlap", zone: "Europe/Zurich", set: halfPastTwo, from: "2022-10-29T12:00Z",
      fires: ["2022-10-30T00:30Z", "2022-10-31T01:30Z"]),
    Row(
      name: "11 planned after the jump", zone: "Europe/Zurich", set: halfPastTwo, from: "2022-03-27T01:10Z",
      fires: ["2022-03-27T01:30Z", "2022-03-28T00:30Z"]),
    Row(
      name: "hourly in a gap is one fire", zone: "Europe/Zurich", set: { $0.minute = 30 },
      from: "2022-03-27T00:00Z", fires: ["2022-03-27T00:30Z", "2022-03-27T01:30Z", "2022-03-27T02:30Z"]),
    Row(
      name: "hourly over an overlap rings the first time", zone: "Europe/Zurich", set: { $0.minute = 30 },
      from: "2022-10-30T00:00Z", fires: ["2022-10-30T00:30Z", "2022-10-30T02:30Z"]),
    Row(
      name: "half an hour's jump", zone: "Australia/Lord_Howe", set: { ($0.hour, $0.minute) = (2, 15) },
      from: "2026-10-03T00:00Z", fires: ["2026-10-03T15:45Z", "2026-10-04T15:15Z"]),
    Row(
      name: "a day that was left out", zone: "Pacific/Apia", set: { $0.hour = 8 }, from: "2011-12-29T19:00Z",
      fires: ["2011-12-30T18:00Z", "2011-12-31T18:00Z"]),
    Row(
      name: "hour alone is on the hour", set: { $0.hour = 8 }, from: "2026-01-01T08:00Z",
      fires: ["2026-01-02T08:00Z"]),
    Row(
      name: "weekday alone is its midnight", set: { $0.weekday = 2 }, from: "2026-01-01T00:00Z",
      fires: ["2026-01-05T00:00Z"]),
  ]

  @Test(arguments: dayRows + clockRows) func fires(_ row: Row) {
    let trigger = CalendarTrigger(
      components: components(row.set), repeats: true, onMissingDay: row.missing, startsAt: row.startsAt)
    let fires = chain(trigger, zone: row.zone, from: row.from, count: max(1, row.fires.count))
    #expect(fires == row.fires.map(instant))
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    var name: String
    var set: @Sendable (inout CalendarComponents) -> Void
    var repeats = true
    var isRefused: Bool
    var testDescription: String { name }
  }

  static let refusals: [Refusal] = [
    Refusal(
      name: "10B repeating, only in the past",
      set: { ($0.year, $0.month, $0.day, $0.hour) = (2018, 6, 21, 8) }, isRefused: true),
    Refusal(
      name: "a one-time date in the past expires instead",
      set: { ($0.year, $0.month, $0.day, $0.hour) = (2018, 6, 20, 8) }, repeats: false, isRefused: false),
    Refusal(name: "10B without the date", set: { $0.hour = 8 }, isRefused: false),
    Refusal(name: "30 February", set: { ($0.month, $0.day) = (2, 30) }, isRefused: true),
    Refusal(name: "31 in the first week", set: { ($0.day, $0.weekOfMonth) = (31, 1) }, isRefused: true),
    Refusal(
      name: "sixth week, first of its weekday", set: { ($0.weekOfMonth, $0.weekdayOrdinal) = (6, 1) },
      isRefused: true),
    Refusal(
      name: "Monday 29 February", set: { ($0.month, $0.day, $0.weekday) = (2, 29, 2) }, isRefused: false),
  ]

  @Test(arguments: refusals) func refuses(_ row: Refusal) {
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone("America/New_York"))
    let trigger = Trigger.calendar(CalendarTrigger(components: components(row.set), repeats: row.repeats))
    do {
      try Planner.validate(trigger, device: device, now: instant("2018-06-21T16:00Z"), zones: zones)
      #expect(!row.isRefused)
    } catch {
      #expect(row.isRefused)
      #expect(error.code == .canNeverFire)
    }
  }
}
