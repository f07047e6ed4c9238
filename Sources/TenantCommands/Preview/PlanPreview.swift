import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonService
import CarillonZones

/// A plan made from files: a pure function of what they hold, the time zone data and the time.
struct PlanPreview {
  var plan: Plan
  var diff: PlanDiff
  var queue: [NotificationID: Notification]
  /// What could not be read, and what the server would not take at this time; it is not planned.
  var rejected: [RejectedItem]
  private let input: PlanInput

  /// - Parameter zone: the device's.
  init(_ preview: PreviewInput, zone: ZoneTable, zones: some ZoneLookup, now: Instant) {
    let report = preview.report
    var input = PlanInput(
      policy: CompiledPolicy(preview.policy), policyVersion: preview.policyVersion,
      device: PlanningDevice(
        authorizationStatus: report.authorizationStatus ?? .notDetermined,
        settings: report.settings ?? NotificationSettings(), zone: zone,
        firstWeekday: report.device?.firstWeekday ?? 1,
        minimumDaysInFirstWeek: report.device?.minimumDaysInFirstWeek ?? 1),
      now: now)
    rejected = preview.rejected
    queue = [:]
    for notification in preview.queue {
      let id = notification.head.id
      do {
        try Planner.validate(notification.head.trigger, device: input.device, now: now, zones: zones)
        queue[id] = notification
        input.queue.append(QueueEntry(head: notification.head, acceptedAt: now))
      } catch {
        rejected.append(RejectedItem(id: id.text, refusal: error, at: preview.places[id] ?? ""))
      }
    }
    input.pending = report.pending
    input.foreign = report.foreign ?? ForeignRequests()
    input.history = preview.history
    self.input = input
    let result = Planner.plan(input, zones: zones)
    plan = result.plan
    // The one that this report would be answered with.
    plan.version = (report.planVersion ?? 0) + 1
    plan.policyVersion = preview.policyVersion
    diff = result.diff
  }

  /// Why a notification is where the plan puts it; one that could not be read is told as such.
  func explanation(of id: NotificationID, zones: some ZoneLookup) -> Explanation {
    var explanation = Planner.explain(id, in: input, zones: zones)
    if explanation.state == .unknown, let item = rejected.first(where: { $0.id == id.text }) {
      explanation.state = .rejected
      explanation.reason = item.error.code
      let detail = item.error.detail
      explanation.summary =
        "It was refused at \(item.error.pointer): \(detail)\(detail.hasSuffix(".") ? "" : ".")"
    }
    return explanation
  }

  var rejectedCount: Int { rejected.count + plan.rejected.count }
}
