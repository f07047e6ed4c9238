import CarillonJSON
import CarillonModel

/// The sentences about triggers.
extension NotificationContractTests {
  static let calendarRows: [Row] =
    [
      ("year", 1999), ("year", 2200), ("month", 0), ("month", 13), ("day", 0), ("day", 32), ("hour", -24),
      ("hour", 24),
      ("minute", 60), ("second", 60), ("weekday", 0), ("weekday", 8), ("weekdayOrdinal", 0),
      ("weekdayOrdinal", 6),
      ("weekdayOrdinal", -1), ("weekOfMonth", 0), ("weekOfMonth", 7), ("weekOfYear", 0), ("weekOfYear", 54),
      ("yearForWeekOfYear", 1999), ("quarter", 1), ("era", 0), ("nanosecond", -1),
    ].map { (name: String, value: Int) in
      Row(
        sentence: "components out of range", json: calendar(#""\#(name)":\#(value)"#),
        code: JSONError.outOfRange,
        pointer: "/trigger/components/\(name)")
    } + [
      Row(
        sentence: "components are never coerced", json: calendar(#""hour":"8""#),
        code: JSONError.unexpectedType,
        pointer: "/trigger/components/hour"),
      Row(
        sentence: "components are never coerced", json: calendar(#""hour":8.5"#),
        code: JSONError.unexpectedType,
        pointer: "/trigger/components/hour"),
      Row(
        sentence: "unknown components", json: calendar(#""era":1,"fortnight":2"#),
        code: JSONError.unknownMember,
        pointer: "/trigger/components/fortnight"),
      Row(
        sentence: "what every device adds is stripped",
        json: calendar(
          #""quarter":0,"era":1,"nanosecond":5,"isLeapMonth":false,"calendar":"gregorian","day":2"#)),
      Row(
        sentence: "other calendars", json: calendar(#""calendar":"hebrew","day":2"#),
        code: ModelError.unsupportedCalendar, pointer: "/trigger/components/calendar"),
      Row(
        sentence: "an empty set", json: calendar(#""quarter":0"#), code: ModelError.emptyComponents,
        pointer: "/trigger/components"),
      Row(
        sentence: "a set that can never match", json: calendar(#""month":2,"day":30"#),
        code: ModelError.impossibleComponents, pointer: "/trigger/components"),
      Row(
        sentence: "a set that can never match", json: calendar(#""year":2027,"month":2,"day":29"#, ""),
        code: ModelError.impossibleComponents, pointer: "/trigger/components"),
      Row(
        sentence: "a set that can never match", json: calendar(#""weekday":2,"weekdayOrdinal":2,"day":20"#),
        code: ModelError.impossibleComponents, pointer: "/trigger/components"),
      // Only a clock, a zone and the device's weeks tell.
      Row(
        sentence: "a set that can never match", json: calendar(#""weekOfMonth":1,"day":9"#),
        code: "canNeverFire",
        pointer: "/trigger/components"),
      Row(
        sentence: "a repeating set only in the past",
        json: calendar(#""year":2018,"month":6,"day":21,"hour":8"#), code: "canNeverFire",
        pointer: "/trigger/components"),
      Row(
        sentence: "a repeating set only in the past", json: calendar(#""year":2026,"month":3,"hour":8"#),
        code: "canNeverFire", pointer: "/trigger/components"),
      Row(
        sentence: "a repeating set only in the past",
        json: calendar(#""hour":8"#, #","repeats":true,"endsAt":"2026-11-30""#), code: "canNeverFire",
        pointer: "/trigger/components"),
      Row(
        sentence: "a one-time set in the past expires instead",
        json: calendar(#""year":2018,"month":6,"day":21,"hour":8"#, "")),
      Row(
        sentence: "a full date with a disagreeing weekday",
        json: calendar(#""year":2026,"month":12,"day":24,"weekday":2"#, ""),
        code: ModelError.contradictoryComponents,
        pointer: "/trigger/components"),
      Row(
        sentence: "a full date with a disagreeing week",
        json: calendar(#""year":2026,"month":12,"day":24,"weekOfYear":20"#, ""),
        code: ModelError.contradictoryComponents, pointer: "/trigger/components"),
      Row(
        sentence: "a full date with its own weekday and weeks",
        json: calendar(#""year":2026,"month":12,"day":24,"weekday":5,"weekOfYear":52,"weekdayOrdinal":4"#, "")
      ),
      Row(
        sentence: "onMissingDay skip, lastDay, nextDay",
        json: calendar(#""day":31"#, #","repeats":true,"onMissingDay":"clamp""#),
        code: JSONError.invalidValue,
        pointer: "/trigger/onMissingDay"),
      Row(
        sentence: "a zone that there is",
        json: calendar(#""hour":8"#, #","repeats":true,"timeZone":"Mars/Olympus""#),
        code: "unknownTimeZone", pointer: "/trigger/timeZone"),
      Row(
        sentence: "a zone, no offset", json: calendar(#""hour":8"#, #","repeats":true,"timeZone":"+01:00""#),
        code: ModelError.fixedOffsetTimeZone, pointer: "/trigger/timeZone"),
      Row(
        sentence: "startsAt without an offset",
        json: calendar(#""hour":8"#, #","repeats":true,"startsAt":"2026-12-01T00:00Z""#),
        code: ModelError.invalidLocalTime, pointer: "/trigger/startsAt"),
      Row(
        sentence: "endsAt is a day that exists",
        json: calendar(#""hour":8"#, #","repeats":true,"endsAt":"2027-02-29""#),
        code: ModelError.invalidLocalTime, pointer: "/trigger/endsAt"),
      Row(
        sentence: "endsAt is exclusive",
        json: calendar(#""hour":8"#, #","repeats":true,"startsAt":"2027-01-01","endsAt":"2027-01-01""#),
        code: ModelError.emptySpan, pointer: "/trigger/endsAt"),
      Row(
        sentence: "a span without a fire",
        json: calendar(#""hour":8"#, #","repeats":true,"startsAt":"2027-01-01T09:00","endsAt":"2027-01-02""#),
        code: "canNeverFire", pointer: "/trigger/components"),
    ]

  static let otherRows: [Row] = [
    Row(sentence: "interval above 0", json: interval(#""seconds":0.5"#)),
    Row(
      sentence: "interval above 0", json: interval(#""seconds":0"#), code: ModelError.invalidInterval,
      pointer: "/trigger/seconds"),
    Row(
      sentence: "interval above 0", json: interval(#""seconds":-30"#), code: ModelError.invalidInterval,
      pointer: "/trigger/seconds"),
    Row(
      sentence: "interval is finite", json: interval(#""seconds":1e400"#), code: JSONError.outOfRange,
      pointer: "/trigger/seconds"),
    Row(
      sentence: "interval ends in time", json: interval(#""seconds":1e18"#), code: ModelError.invalidInterval,
      pointer: "/trigger/seconds"),
    Row(
      sentence: "interval is a number", json: interval(#""seconds":NaN"#), code: JSONError.invalidJSON,
      pointer: "/trigger/seconds"),
    Row(
      sentence: "repeating interval < 60", json: interval(#""seconds":59.999,"repeats":true"#),
      code: ModelError.invalidInterval, pointer: "/trigger/seconds"),
    Row(sentence: "repeating interval < 60", json: interval(#""seconds":60,"repeats":true"#)),
    Row(
      sentence: "an anchor is an instant", json: interval(#""seconds":60,"anchor":"2026-12-01T08:00""#),
      code: ModelError.invalidInstant, pointer: "/trigger/anchor"),
    Row(sentence: "RFC 5545", json: recurrence("FREQ=DAILY;INTERVAL=2;COUNT=1000")),
    Row(
      sentence: "RFC 5545", json: recurrence("FREQ=FORTNIGHTLY"), code: ModelError.invalidRule,
      pointer: "/trigger/rule"),
    Row(
      sentence: "RFC 5545", json: recurrence("FREQ=WEEKLY;BYMONTHDAY=3"), code: ModelError.invalidRule,
      pointer: "/trigger/rule"),
    Row(
      sentence: "what is not planned is named", json: recurrence("FREQ=DAILY;RSCALE=HEBREW"),
      code: ModelError.unsupportedRulePart, pointer: "/trigger/rule"),
    Row(
      sentence: "what is not planned is named", json: recurrence("FREQ=DAILY;X-MOON=full moon"),
      code: ModelError.unsupportedRulePart, pointer: "/trigger/rule"),
    Row(
      sentence: "what is not planned is named", json: recurrence("FREQ=SECONDLY"),
      code: ModelError.unsupportedRulePart, pointer: "/trigger/rule"),
    Row(
      sentence: "a rule that can never match", json: recurrence("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"),
      code: "canNeverFire", pointer: "/trigger/rule"),
    Row(
      sentence: "a rule only in the past", json: recurrence("FREQ=DAILY;COUNT=10"), code: "canNeverFire",
      pointer: "/trigger/rule"),
    Row(
      sentence: "an exception is a wall time",
      json: recurrence("FREQ=DAILY", #","except":["2026-12-01T09:00Z"]"#),
      code: ModelError.invalidLocalTime, pointer: "/trigger/except/0"),
    Row(
      sentence: "a zone that there is", json: recurrence("FREQ=DAILY", #","timeZone":"Europe/Atlantis""#),
      code: "unknownTimeZone", pointer: "/trigger/timeZone"),
    Row(
      sentence: "a region", json: location(#","onEntry":true,"onExit":true,"repeats":true,"distance":12.5"#)),
    Row(
      sentence: "a region that nobody enters or leaves", json: location(#","onEntry":false"#),
      code: ModelError.invalidRegion, pointer: "/trigger/onEntry"),
    Row(
      sentence: "a region on the globe",
      json: trigger(#""kind":"location","latitude":90.1,"longitude":0,"radius":1"#),
      code: ModelError.invalidRegion,
      pointer: "/trigger/latitude"),
    Row(
      sentence: "a region on the globe",
      json: trigger(#""kind":"location","latitude":0,"longitude":181,"radius":1"#),
      code: ModelError.invalidRegion,
      pointer: "/trigger/longitude"),
    Row(
      sentence: "a region with a radius",
      json: trigger(#""kind":"location","latitude":0,"longitude":0,"radius":0"#),
      code: ModelError.invalidRegion, pointer: "/trigger/radius"),
    Row(
      sentence: "a distance in metres", json: location(#","distance":-1"#), code: JSONError.outOfRange,
      pointer: "/trigger/distance"),
  ]
}
