import CarillonModel
import Foundation

/// Foundation's calendar, asked for what an app asks it: the rival of the time engine. It is used nowhere else: it is
/// slow, and hangs on some components (a sixth weekday of a month, week 0), which never get here.
struct FoundationCalendar {
  let calendar: Calendar

  init(zoneName: String) throws {
    guard let zone = TimeZone(identifier: zoneName) else {
      throw LoadFailure(detail: "Foundation has no zone \(zoneName)")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    calendar.firstWeekday = 2
    calendar.minimumDaysInFirstWeek = 4
    self.calendar = calendar
  }

  func next(_ components: DateComponents, after date: Date) -> Date? {
    calendar.nextDate(after: date, matching: components, matchingPolicy: .nextTime)
  }
}

extension DateComponents {
  init(_ components: CalendarComponents) {
    self.init(
      year: components.year, month: components.month, day: components.day, hour: components.hour,
      minute: components.minute, second: components.second, weekday: components.weekday,
      weekdayOrdinal: components.weekdayOrdinal)
  }

  init(_ time: LocalDateTime) {
    let date = time.date
    self.init(
      year: date.year, month: date.month, day: date.day, hour: time.secondOfDay / 3600,
      minute: time.secondOfDay / 60 % 60)
  }
}

extension Date {
  init(_ instant: Instant) { self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1000) }

  var instant: Instant { Instant(milliseconds: Int64((timeIntervalSince1970 * 1000).rounded())) }
}
