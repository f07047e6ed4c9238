import CarillonJSON
import CarillonModel
import TestSupport
import Testing

func decodeTrigger(_ text: String) -> Result<Trigger, JSONError> {
  do throws(JSONError) {
    return .success(
      try JSONReader.read(Array(text.utf8)) { (reader) throws(JSONError) in try Trigger(from: &reader) })
  } catch { return .failure(error) }
}

func canonicalText(_ trigger: Trigger) -> String { String(decoding: trigger.canonicalBytes, as: UTF8.self) }

private func refusal(_ text: String) -> JSONError? {
  if case .failure(let error) = decodeTrigger(text) { error } else { nil }
}

private func calendar(_ components: String, _ rest: String = #","repeats":true"#) -> String {
  #"{"kind":"calendar","components":{\#(components)}\#(rest)}"#
}

@Suite("Triggers")
struct TriggerTests {
  /// What is read, and how it is written: canonical, and again the same.
  @Test(arguments: [
    (
      #"{"kind":"instant","at":"2026-12-01T09:00:00+01:00"}"#,
      #"{"at":"2026-12-01T08:00:00Z","kind":"instant"}"#
    ),
    (
      #"{"at":"2016-01-10T07:00:00.01Z","kind":"instant"}"#,
      #"{"at":"2016-01-10T07:00:00.010Z","kind":"instant"}"#
    ),
    (#"{"kind":"local","at":"2026-12-01T08:00:00"}"#, #"{"at":"2026-12-01T08:00","kind":"local"}"#),
    (
      #"{"kind":"calendar","components":{"weekday":2,"hour":8,"minute":0},"repeats":true}"#,
      #"{"components":{"hour":8,"minute":0,"weekday":2},"kind":"calendar","repeats":true}"#
    ),
    (
      #"{"kind":"calendar","components":{"day":31,"hour":9},"repeats":true,"timeZone":"Europe/Berlin","onMissingDay":"lastDay","startsAt":"2021-01-02","endsAt":"2022-01-01T12:00"}"#,
      #"{"components":{"day":31,"hour":9},"endsAt":"2022-01-01T12:00","kind":"calendar","onMissingDay":"lastDay","repeats":true,"startsAt":"2021-01-02","timeZone":"Europe/Berlin"}"#
    ),
    (
      #"{"kind":"calendar","components":{"weekOfYear":3,"weekday":1,"yearForWeekOfYear":2027,"weekOfMonth":2,"second":5,"month":1,"minute":null}}"#,
      #"{"components":{"month":1,"second":5,"weekOfMonth":2,"weekOfYear":3,"weekday":1,"yearForWeekOfYear":2027},"kind":"calendar","repeats":false}"#
    ),
    (
      #"{"kind":"interval","seconds":3600,"repeats":true}"#,
      #"{"kind":"interval","repeats":true,"seconds":3600}"#
    ),
    (
      #"{"kind":"interval","seconds":0.5,"anchor":"2026-01-01T00:00:00Z"}"#,
      #"{"anchor":"2026-01-01T00:00:00Z","kind":"interval","repeats":false,"seconds":0.5}"#
    ),
    (
      #"{"kind":"recurrence","start":"2026-01-01T09:00","rule":"FREQ=DAILY;INTERVAL=2;COUNT=10","except":["2026-01-03T09:00"],"timeZone":"UTC"}"#,
      #"{"except":["2026-01-03T09:00"],"kind":"recurrence","rule":"FREQ=DAILY;INTERVAL=2;COUNT=10","start":"2026-01-01T09:00","timeZone":"UTC"}"#
    ),
    (
      #"{"kind":"location","latitude":52.5,"longitude":-13.25,"radius":100,"onEntry":true,"onExit":false,"repeats":true,"distance":1e3}"#,
      #"{"distance":1000,"kind":"location","latitude":52.5,"longitude":-13.25,"onEntry":true,"onExit":false,"radius":100,"repeats":true}"#
    ),
  ])
  func readAndWritten(_ text: String, _ canonical: String) throws {
    let trigger = try decodeTrigger(text).get()
    #expect(canonicalText(trigger) == canonical)
    #expect(try decodeTrigger(canonical).get() == trigger)
    // Sorted by our writer exactly as any canonical writer would.
    #expect(try JSONValue(parsing: text).array == nil)
    #expect(try JSONValue(parsing: canonical).canonicalBytes == Array(canonical.utf8))
  }

  @Test(arguments: [
    (#"{"at":"2026-12-01T08:00:00Z"}"#, JSONError.missingMember, ""), ("[]", JSONError.unexpectedType, ""),
    (#"{"kind":"weekly"}"#, ModelError.unknownTriggerKind, "/kind"),
    (#"{"kind":"instant"}"#, JSONError.missingMember, ""),
    (#"{"kind":"instant","at":"2026-12-01T08:00:00Z","att":1}"#, JSONError.unknownMember, "/att"),
    (#"{"kind":"instant","at":1796112000}"#, JSONError.unexpectedType, "/at"),
    (#"{"kind":"instant","at":"1999-12-31T23:59:59Z"}"#, ModelError.invalidInstant, "/at"),
    (#"{"kind":"instant","at":"2200-01-01T00:00:00Z"}"#, ModelError.invalidInstant, "/at"),
    (#"{"kind":"local","at":"2026-12-01T08:00:00Z"}"#, ModelError.invalidLocalTime, "/at"),
    (#"{"kind":"local","at":"2026-02-30T08:00"}"#, ModelError.invalidLocalTime, "/at"),
    (#"{"kind":"local","at":"1999-12-31T08:00"}"#, ModelError.invalidLocalTime, "/at"),
    (#"{"kind":"calendar","repeats":true}"#, JSONError.missingMember, ""),
    (calendar(#""hour":8"#, #","repeat":true"#), JSONError.unknownMember, "/repeat"),
    (calendar(#""hour":8"#, #","repeats":1"#), JSONError.unexpectedType, "/repeats"),
    (calendar(#""hour":8"#, #","onMissingDay":"strict""#), JSONError.invalidValue, "/onMissingDay"),
    (calendar(#""hour":8"#, #","timeZone":"+02:00""#), ModelError.fixedOffsetTimeZone, "/timeZone"),
    (calendar(#""hour":8"#, #","timeZone":"../../etc/passwd""#), ModelError.invalidTimeZone, "/timeZone"),
    (calendar(#""hour":8"#, #","startsAt":"2021-01-02T00:00Z""#), ModelError.invalidLocalTime, "/startsAt"),
    (
      calendar(#""hour":8"#, #","startsAt":"2021-01-02","endsAt":"2021-01-02""#), ModelError.emptySpan,
      "/endsAt"
    ),
    (#"{"kind":"location","latitude":91,"longitude":0,"radius":1}"#, ModelError.invalidRegion, "/latitude"),
    (
      #"{"kind":"location","latitude":0,"longitude":-180.5,"radius":1}"#, ModelError.invalidRegion,
      "/longitude"
    ),
    (#"{"kind":"location","latitude":0,"longitude":0,"radius":0}"#, ModelError.invalidRegion, "/radius"),
    (#"{"kind":"location","latitude":0,"longitude":0}"#, JSONError.missingMember, ""),
    (
      #"{"kind":"location","latitude":0,"longitude":0,"radius":1,"onEntry":false}"#, ModelError.invalidRegion,
      "/onEntry"
    ),
    (
      #"{"kind":"location","latitude":0,"longitude":0,"radius":1,"distance":-1}"#, JSONError.outOfRange,
      "/distance"
    ),
    (#"{"kind":"recurrence","start":"2026-01-01T09:00"}"#, JSONError.missingMember, ""),
    (
      #"{"kind":"recurrence","start":"2026-01-01","rule":"FREQ=DAILY"}"#, ModelError.invalidLocalTime,
      "/start"
    ),
  ])
  func refused(_ text: String, _ code: String, _ pointer: String) {
    let error = refusal(text)
    #expect(error?.code == code)
    #expect(error?.pointer == pointer)
  }

  @Test(arguments: [
    "", "FREQ=FORTNIGHTLY", "INTERVAL=2", "FREQ=DAILY;", "FREQ=DAILY;FREQ=DAILY", "RRULE:FREQ=DAILY",
    "FREQ=DAILY;COUNT=",
    "freq=daily", "FREQ=DAILY;X=1", "FREQ=DAILY;COUNT=2;UNTIL=20260101", "FREQ=DAILY;BYDAY=MO TU", "FREQ",
    "FREQ=DAILY;BYDAY=" + String(repeating: "MO,", count: 400) + "MO",
  ])
  func badRules(_ rule: String) {
    let error = refusal(#"{"kind":"recurrence","start":"2026-01-01T09:00","rule":"\#(rule)"}"#)
    #expect(error?.code == ModelError.invalidRule)
    #expect(error?.pointer == "/rule")
  }

  @Test func exceptionsAreLimited() {
    let times = { (count: Int) in
      Array(repeating: #""2026-01-03T09:00""#, count: count).joined(separator: ",")
    }
    let trigger = { (count: Int) in
      #"{"kind":"recurrence","start":"2026-01-01T09:00","rule":"FREQ=DAILY","except":[\#(times(count))]}"#
    }
    #expect(refusal(trigger(1000)) == nil)
    #expect(refusal(trigger(1001))?.code == JSONError.outOfRange)
  }

  /// Case 12: what would crash an app.
  @Test(arguments: [
    (#""seconds":5,"repeats":true"#, false), (#""seconds":59.999,"repeats":true"#, false),
    (#""seconds":60,"repeats":true"#, true), (#""seconds":0.5"#, true), (#""seconds":0"#, false),
    (#""seconds":-0.0"#, false),
    (#""seconds":-30"#, false), (#""seconds":1e18"#, false), (#""seconds":1e400"#, false),
    (#""seconds":"60""#, false),
    (#""repeats":true"#, false), (#""seconds":6311433600"#, true),
    (#""seconds":60,"anchor":"2026-01-01""#, false),
  ])
  func case12Intervals(_ members: String, _ isAccepted: Bool) {
    #expect((refusal(#"{"kind":"interval",\#(members)}"#) == nil) == isAccepted)
  }
}

@Suite("Calendar components")
struct CalendarComponentsTests {
  /// Case 9: one numbering, Apple's; what is outside of it is refused, never coerced.
  @Test(arguments: [
    (#""weekday":1,"hour":10"#, true), (#""weekday":0"#, false), (#""weekday":8"#, false),
    (#""month":0"#, false),
    (#""hour":24"#, false), (#""month":2,"day":1,"hour":9"#, true), (#""month":13"#, false),
    (#""minute":60"#, false),
    (#""second":60"#, false), (#""day":0"#, false), (#""day":32"#, false), (#""year":1999"#, false),
    (#""year":2200"#, false),
    (#""weekdayOrdinal":6,"weekday":2"#, false), (#""weekdayOrdinal":0,"weekday":2"#, false),
    (#""weekOfMonth":0"#, false),
    (#""weekOfMonth":7"#, false), (#""weekOfYear":54"#, false), (#""weekOfYear":0"#, false),
    (#""hour":8.5"#, false),
    (#""hour":"8""#, false), (#""hour":8.0"#, true), (#""weekOfMonth":6,"weekday":1"#, true),
    (#""weekdayOrdinal":5,"weekday":7"#, true),
  ])
  func case9Ranges(_ components: String, _ isAccepted: Bool) {
    let error = refusal(calendar(components))
    #expect((error == nil) == isAccepted)
    if let error { #expect(error.pointer.hasPrefix("/components/")) }
  }

  /// Case 13: what devices add without meaning is stripped, what nobody knows is refused.
  @Test(
    arguments: [
      (#""quarter":0,"day":2"#, #"{"components":{"day":2},"kind":"calendar","repeats":true}"#),
      (
        #""era":1,"year":2030,"month":1,"day":1,"nanosecond":0,"isLeapMonth":false,"calendar":"gregorian""#,
        #"{"components":{"day":1,"month":1,"year":2030},"kind":"calendar","repeats":true}"#
      ),
      (#""era":1,"fortnight":2"#, nil), (#""day":1,"hour":-24"#, nil), (#""quarter":1,"day":2"#, nil),
      (#""era":0,"day":2"#, nil),
      (#""calendar":"hebrew","day":2"#, nil), (#""quarter":0"#, nil), ("", nil),
    ] as [(String, String?)])
  func case13Leftovers(_ components: String, _ canonical: String?) {
    switch decodeTrigger(calendar(components)) {
    case .success(let trigger): #expect(canonicalText(trigger) == canonical)
    case .failure: #expect(canonical == nil)
    }
  }

  /// Case 8 and 13: sets that no day matches.
  @Test(arguments: [
    (#""month":2,"day":30"#, "skip"), (#""month":2,"day":30"#, "lastDay"), (#""month":4,"day":31"#, "skip"),
    (#""month":4,"day":31"#, "nextDay"), (#""year":2027,"month":2,"day":29"#, "skip"),
    (#""year":2028,"month":2,"day":30"#, "skip"),
    (#""weekdayOrdinal":2"#, "skip"), (#""weekday":2,"weekdayOrdinal":2,"day":20"#, "skip"),
    (#""day":1,"weekOfMonth":3"#, "skip"),
    (#""month":1,"weekOfYear":30"#, "skip"),
    (#""year":2026,"month":2,"weekday":1,"weekdayOrdinal":5"#, "skip"),
    (#""year":2026,"weekday":4,"day":31"#, "skip"),
    (#""year":2026,"yearForWeekOfYear":2030,"weekday":2"#, "skip"),
  ])
  func impossibleSets(_ components: String, _ rule: String) {
    let error = refusal(calendar(components, #","repeats":true,"onMissingDay":"\#(rule)""#))
    #expect(error?.code == ModelError.impossibleComponents)
    #expect(error?.pointer == "/components")
  }

  @Test(arguments: [
    (#""day":31,"hour":9"#, "skip"), (#""month":2,"day":29,"hour":9"#, "skip"),
    (#""year":2028,"month":2,"day":29"#, "skip"),
    (#""year":2027,"month":2,"day":29"#, "lastDay"), (#""year":2026,"month":2,"weekday":6,"day":13"#, "skip"),
    (#""year":2026,"month":1,"weekday":5,"weekdayOrdinal":5"#, "skip"),
    (#""month":12,"weekOfYear":1"#, "skip"),
    (#""month":1,"weekOfYear":53"#, "skip"), (#""month":2,"weekday":1,"weekdayOrdinal":5"#, "skip"),
    (#""second":30"#, "skip"),
    (#""day":29,"weekday":3,"weekdayOrdinal":5"#, "skip"), (#""weekOfMonth":2,"hour":9"#, "skip"),
    (#""year":2026,"day":31"#, "skip"),
  ])
  func possibleSets(_ components: String, _ rule: String) {
    #expect(refusal(calendar(components, #","repeats":true,"onMissingDay":"\#(rule)""#)) == nil)
  }

  /// A full date with its own weekday and weeks drops them; with others it is refused. 30 November 2026 is a Monday.
  @Test(arguments: [
    (#""weekday":2"#, true), (#""weekday":3"#, false), (#""weekdayOrdinal":5,"weekday":2"#, true),
    (#""weekdayOrdinal":4"#, false),
    (#""weekOfYear":49,"yearForWeekOfYear":2026,"weekOfMonth":5"#, true),
    (#""weekOfYear":48,"weekOfMonth":5"#, true),
    (#""weekOfYear":20"#, false), (#""yearForWeekOfYear":2027"#, false), (#""weekOfMonth":2"#, false),
  ])
  func fullDates(_ extra: String, _ agrees: Bool) throws {
    let result = decodeTrigger(calendar(#""year":2026,"month":11,"day":30,"hour":8,\#(extra)"#, ""))
    if agrees {
      let plain = try decodeTrigger(calendar(#""year":2026,"month":11,"day":30,"hour":8"#, "")).get()
      #expect(try result.get() == plain)
    } else {
      #expect(throws: JSONError.self) { try result.get() }
      if case .failure(let error) = result { #expect(error.code == ModelError.contradictoryComponents) }
    }
  }

  /// ISO weeks (Monday, 4 days) as published for the turns of years, and the American way (Sunday, 1 day).
  @Test(arguments: [
    (2026, 1, 1, 2, 4, 2026, 1, 1), (2027, 1, 1, 2, 4, 2026, 53, 0), (2024, 12, 30, 2, 4, 2025, 1, 5),
    (2021, 1, 3, 2, 4, 2020, 53, 0), (2026, 11, 30, 2, 4, 2026, 49, 5), (2027, 1, 1, 1, 1, 2027, 1, 1),
    (2026, 12, 27, 1, 1, 2027, 1, 5), (2026, 2, 1, 1, 1, 2026, 6, 1), (2026, 2, 28, 1, 7, 2026, 8, 4),
  ])
  func weekNumbers(
    _ year: Int, _ month: Int, _ day: Int, _ first: Int, _ minimum: Int, _ weekYear: Int, _ week: Int,
    _ weekOfMonth: Int
  ) {
    let weeks = CivilDate(year: year, month: month, day: day).weeks(
      firstWeekday: first, minimumDaysInFirstWeek: minimum)
    #expect(weeks.yearForWeekOfYear == weekYear)
    #expect(weeks.weekOfYear == week)
    #expect(weeks.weekOfMonth == weekOfMonth)
  }
}
