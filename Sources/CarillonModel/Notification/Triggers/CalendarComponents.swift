/// Apple's `DateComponents`, the units a trigger may name. Weekday 1 is Sunday, month 1 is January.
///
/// Kept in 22 bytes instead of 176, as planning copies thousands of them.
public struct CalendarComponents: Hashable, Sendable {
  @usableFromInline var yearValue = Int16.min
  @usableFromInline var yearForWeekOfYearValue = Int16.min
  @usableFromInline var monthValue = Int16.min
  @usableFromInline var dayValue = Int16.min
  @usableFromInline var hourValue = Int16.min
  @usableFromInline var minuteValue = Int16.min
  @usableFromInline var secondValue = Int16.min
  @usableFromInline var weekdayValue = Int16.min
  @usableFromInline var weekdayOrdinalValue = Int16.min
  @usableFromInline var weekOfMonthValue = Int16.min
  @usableFromInline var weekOfYearValue = Int16.min

  public init() {}

  @inlinable
  static func value(_ stored: Int16) -> Int? { stored == Int16.min ? nil : Int(stored) }

  /// Traps on numbers that are no year, month, day or time of any calendar.
  @inlinable
  static func stored(_ value: Int?) -> Int16 { value.map { Int16($0) } ?? Int16.min }
}

extension CalendarComponents {
  @inlinable public var year: Int? {
    get { CalendarComponents.value(yearValue) }
    set { yearValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var month: Int? {
    get { CalendarComponents.value(monthValue) }
    set { monthValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var day: Int? {
    get { CalendarComponents.value(dayValue) }
    set { dayValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var hour: Int? {
    get { CalendarComponents.value(hourValue) }
    set { hourValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var minute: Int? {
    get { CalendarComponents.value(minuteValue) }
    set { minuteValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var second: Int? {
    get { CalendarComponents.value(secondValue) }
    set { secondValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var weekday: Int? {
    get { CalendarComponents.value(weekdayValue) }
    set { weekdayValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var weekdayOrdinal: Int? {
    get { CalendarComponents.value(weekdayOrdinalValue) }
    set { weekdayOrdinalValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var weekOfMonth: Int? {
    get { CalendarComponents.value(weekOfMonthValue) }
    set { weekOfMonthValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var weekOfYear: Int? {
    get { CalendarComponents.value(weekOfYearValue) }
    set { weekOfYearValue = CalendarComponents.stored(newValue) }
  }

  @inlinable public var yearForWeekOfYear: Int? {
    get { CalendarComponents.value(yearForWeekOfYearValue) }
    set { yearForWeekOfYearValue = CalendarComponents.stored(newValue) }
  }
}
