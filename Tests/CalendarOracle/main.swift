// Asks Foundation's `Calendar` for next dates, for the planner's tests: in a process of its own, since some questions
// it never answers.
//
// Reads lines `zone now key=value…` and answers each with `fire offset…`: seconds since 1970 or `none`, and the
// zone's offsets two days before and after now and the fire, by which the tests see whether Foundation's zone data
// agree with theirs and no clock changes nearby.
import Foundation

while let line = readLine() {
  let parts = line.split(separator: " ")
  guard parts.count >= 3, let zone = TimeZone(identifier: String(parts[0])), let seconds = Double(parts[1])
  else {
    print("none")
    continue
  }
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = zone
  calendar.firstWeekday = 1
  calendar.minimumDaysInFirstWeek = 1
  var set = DateComponents()
  for pair in parts[2...] {
    let sides = pair.split(separator: "=")
    let value = Int(sides[1])
    switch sides[0] {
    case "year": set.year = value
    case "month": set.month = value
    case "day": set.day = value
    case "hour": set.hour = value
    case "minute": set.minute = value
    case "second": set.second = value
    case "weekday": set.weekday = value
    case "weekdayOrdinal": set.weekdayOrdinal = value
    default: preconditionFailure("no component \(sides[0])")
    }
  }
  let now = Date(timeIntervalSince1970: seconds)
  guard
    let fire = calendar.nextDate(
      after: now, matching: set, matchingPolicy: .nextTime, repeatedTimePolicy: .first)
  else {
    print("none")
    continue
  }
  let days = 2 * 86_400.0
  let offsets = [now - days, now + days, fire - days, fire + days].map { zone.secondsFromGMT(for: $0) }
  print(Int(fire.timeIntervalSince1970), offsets.map(String.init).joined(separator: " "))
}
