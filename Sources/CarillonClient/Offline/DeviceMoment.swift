import CarillonModel
import CarillonPlanner

/// A device as planning sees it, read at one moment.
struct DeviceMoment {
  var device: PlanningDevice
  /// All that is pending, the app's own included.
  var pending: [CenterRequest]
  /// What stands in Notification Center.
  var delivered: [DeliveredNotification]
  var now: Instant

  /// Of ours, by id.
  var revisions: [NotificationID: String] {
    var revisions: [NotificationID: String] = [:]
    for request in pending { revisions[request.id] = request.revision }
    return revisions
  }
}

extension CenterRequest {
  var isRegion: Bool { if case .location? = trigger { true } else { false } }
}

extension Trigger {
  var isRegion: Bool { if case .location = self { true } else { false } }

  var repeats: Bool {
    switch self {
    case .instant, .local: false
    case .calendar(let calendar): calendar.repeats
    case .interval(let interval): interval.repeats
    case .recurrence: true
    case .location(let region): region.repeats
    }
  }
}
