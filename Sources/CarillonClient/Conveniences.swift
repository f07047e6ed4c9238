import CarillonModel

extension CarillonModel.Notification {
  /// A notification as an app writes it; what planning needs of the content is taken from it.
  ///
  /// - Parameters:
  ///   - id: a later one of the same id takes its place.
  ///   - type: nil lets the policy's longest matching prefix of the id decide.
  ///   - content: what is shown.
  ///   - trigger: when it fires.
  ///   - overdue: what becomes of it when its one time has passed.
  ///   - expiresAt: from then on it is not worth showing; nil: always.
  ///   - needs: what it must be able to do to be worth a slot.
  ///   - inbox: whether the fact also goes to the in-app inbox.
  ///   - group: what it belongs to, in the app's words.
  public init(
    id: NotificationID, type: String? = nil, content: NotificationContent, trigger: Trigger,
    overdue: OverdueRule = .expire, expiresAt: Instant? = nil, needs: Set<Need> = [], inbox: Bool = true,
    group: String? = nil
  ) {
    self.init(
      head: NotificationHead(
        id: id, type: type, trigger: trigger, overdue: overdue, expiresAt: expiresAt, needs: needs,
        inbox: inbox, group: group, summary: content.summary),
      content: content)
  }
}

extension CalendarComponents {
  /// The units of Apple's `DateComponents` that a trigger may name, those that are given.
  public init(
    year: Int? = nil, month: Int? = nil, day: Int? = nil, hour: Int? = nil, minute: Int? = nil,
    second: Int? = nil, weekday: Int? = nil, weekdayOrdinal: Int? = nil, weekOfMonth: Int? = nil,
    weekOfYear: Int? = nil, yearForWeekOfYear: Int? = nil
  ) {
    self.init()
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.weekday = weekday
    self.weekdayOrdinal = weekdayOrdinal
    self.weekOfMonth = weekOfMonth
    self.weekOfYear = weekOfYear
    self.yearForWeekOfYear = yearForWeekOfYear
  }
}
