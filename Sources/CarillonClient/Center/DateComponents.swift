import CarillonModel
import Foundation

extension CalendarComponents {
  /// What Foundation's components have of ours.
  init(_ components: DateComponents) {
    self.init()
    year = components.year
    month = components.month
    day = components.day
    hour = components.hour
    minute = components.minute
    second = components.second
    weekday = components.weekday
    weekdayOrdinal = components.weekdayOrdinal
    weekOfMonth = components.weekOfMonth
    weekOfYear = components.weekOfYear
    yearForWeekOfYear = components.yearForWeekOfYear
  }

  /// - Parameter timeZone: an IANA name; nil leaves the zone open, so that the wall time travels.
  func dateComponents(timeZone: String?) throws(CenterError) -> DateComponents {
    var components = DateComponents()
    components.year = year
    components.month = month
    components.day = day
    components.hour = hour
    components.minute = minute
    components.second = second
    components.weekday = weekday
    components.weekdayOrdinal = weekdayOrdinal
    components.weekOfMonth = weekOfMonth
    components.weekOfYear = weekOfYear
    components.yearForWeekOfYear = yearForWeekOfYear
    guard let timeZone else { return components }
    guard let zone = TimeZone(identifier: timeZone) else {
      throw CenterError(.invalidTrigger, "\(timeZone) is not a time zone of this system")
    }
    components.timeZone = zone
    return components
  }
}
