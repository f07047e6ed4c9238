import CarillonModel

/// A shape of calendar trigger, with components that no change of clocks swallows.
struct TriggerShape {
  var name: String
  var components: CalendarComponents

  private init(_ name: String, _ set: (inout CalendarComponents) -> Void) {
    var components = CalendarComponents()
    components.minute = 30
    set(&components)
    self.name = name
    self.components = components
  }

  static let all = [
    TriggerShape("daily") { $0.hour = 8 },
    TriggerShape("weekly") {
      $0.hour = 8
      $0.weekday = 3
    },
    TriggerShape("monthly") {
      $0.hour = 8
      $0.day = 15
    },
    TriggerShape("yearly") {
      $0.hour = 8
      $0.month = 6
      $0.day = 21
    },
    TriggerShape("nth weekday") {
      $0.hour = 8
      $0.weekday = 3
      $0.weekdayOrdinal = 2
    },
    TriggerShape("hourly") { _ in },
  ]
}
