import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonStore

/// A report's puts, held against what needs a clock and a zone; the form was checked when they were read.
struct PutCheck {
  /// What may be stored, each with its place in the report.
  private(set) var accepted: [(index: Int, notification: Notification)] = []
  private(set) var rejected: [RejectedItem]

  init(
    _ report: ReceivedReport, device: PlanningDevice, zones: any ZoneLookup, now: Instant
  ) throws(ServiceError) {
    rejected = report.rejected
    for (index, notification) in zip(Self.places(report), report.request.put) {
      do {
        try Planner.validate(notification.head.trigger, device: device, now: now, zones: zones)
        accepted.append((index, notification))
      } catch {
        rejected.append(
          RejectedItem(id: notification.head.id.text, refusal: error, at: "/put/\(index)"))
      }
    }
  }

  /// The places of the puts that were read, in their order: those that no rejected one has.
  private static func places(_ report: ReceivedReport) -> [Int] {
    let taken = Set(
      report.rejected.compactMap { item -> Int? in
        let parts = item.error.pointer.split(separator: "/")
        return parts.count >= 2 && parts[0] == "put" ? Int(parts[1]) : nil
      })
    return Array((0..<(report.request.put.count + taken.count)).lazy.filter { !taken.contains($0) })
  }
}

extension [StoredEntry] {
  /// Told to a device that has never said where it is, and has what waits for a wall time: it is planned as in UTC, and
  /// may ring at a wrong hour, until the device says.
  var missingZone: RejectedItem? {
    guard let first = first(where: { $0.head.trigger.needsDeviceZone }) else { return nil }
    return RejectedItem(
      id: first.head.id.text,
      error: JSONError(
        code: TriggerRefusal.Code.unknownTimeZone.rawValue,
        detail: "the device has reported no time zone: wall times are taken for UTC until it does",
        pointer: "/device/timeZone"))
  }
}

extension Trigger {
  fileprivate var needsDeviceZone: Bool {
    switch self {
    case .local: true
    case .calendar(let trigger): trigger.timeZone == nil
    case .recurrence(let trigger): trigger.timeZone == nil
    case .instant, .interval, .location: false
    }
  }
}

extension RejectedItem {
  /// - Parameter place: where the notification is in its document, as a JSON pointer.
  package init(id: String, refusal: TriggerRefusal, at place: String) {
    self.init(
      id: id,
      error: JSONError(code: refusal.code.rawValue, detail: refusal.detail, pointer: place + refusal.pointer))
  }
}
