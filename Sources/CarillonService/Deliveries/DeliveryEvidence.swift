import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonStore

/// What is known of a device that lets tell whether it delivered what came due.
struct DeliveryEvidence: Sendable {
  enum Verdict: Hashable, Sendable {
    case delivered, missed, open
    /// Nobody will know, unless an event tells.
    case untold
  }

  /// What this very call brought.
  enum Source: Hashable, Sendable {
    case nothing, report
    /// The newest report once more: its answer was lost. What it says it holds is of the time when it was first sent.
    case repetition
  }

  let source: Source
  /// Whether the device was allowed to deliver when it last said so.
  let couldDeliver: Bool
  /// Whether the user had denied notifications when it last said so.
  let isDenied: Bool
  /// What it held before the report, by id.
  let before: [NotificationID: PendingRequest]
  /// What it holds by the report; nil: the report does not say.
  private let now: [NotificationID: PendingRequest]?
  /// The same, also of a repetition: what its answer is held against.
  let reported: [NotificationID: PendingRequest]?
  /// What stands in its Notification Center.
  private let center: Set<NotificationID>
  /// Of the plan it applied last, as it says.
  private let planVersion: Int?
  /// The newest plan that it asked for by itself, as ``DeliveryMemory/fetched``.
  var fetched: Int?
  /// What was delivered, tapped or dismissed: when it last told so of each, by its own clock, which its notifications
  /// ring by, too.
  private let toldAt: [NotificationID: Instant]
  /// When the last event of each came, by that clock.
  private let eventAt: [NotificationID: Instant]
  /// Of the plans it had applied by its reports until now, as it said, the newest.
  private let appliedBefore: Int?
  /// What the report itself takes out of the queue or puts anew.
  private let edited: Set<NotificationID>
  /// By its own clock.
  private let sentAt: Instant?

  /// A clock that is further ahead than this is no sign that what is gone has rung: it may have been set, and with it
  /// all that waited may have been lost.
  static let mostSecondsAhead: Int64 = 86_400
  /// What is told of something may be dated by whole seconds.
  private static let secondsOfRounding: Int64 = 1

  /// - Parameters:
  ///   - state: as it was before the report.
  ///   - report: nil when there is none.
  ///   - events: those of the report that it had not told before.
  ///   - appliedBefore: the newest plan that it had said it applied, before the report.
  init(
    state: DeviceState, report: SyncRequest?, isRepetition: Bool = false, events: [SyncEvent],
    appliedBefore: Int?
  ) {
    source = report == nil ? .nothing : isRepetition ? .repetition : .report
    couldDeliver =
      switch state.authorizationStatus {
      case .authorized, .provisional, .ephemeral: true
      case .denied, .notDetermined, .unknown: false
      }
    isDenied = state.authorizationStatus == .denied
    before = Self.byID(state.pending ?? [])
    reported = report?.pending.map(Self.byID)
    now = isRepetition ? nil : reported
    planVersion = report?.planVersion
    sentAt = report?.sentAt
    edited = Set(report?.cancel ?? []).union(report?.put.map(\.head.id) ?? [])
    self.appliedBefore = appliedBefore
    center = Set(report?.delivered ?? [])
    var toldAt: [NotificationID: Instant] = [:]
    if let sentAt = report?.sentAt {
      for id in report?.delivered ?? [] { toldAt[id] = sentAt }
    }
    var eventAt: [NotificationID: Instant] = [:]
    for event in events {
      guard let id = event.notification, [.delivered, .tapped, .dismissed].contains(event.kind) else {
        continue
      }
      eventAt[id] = max(eventAt[id] ?? event.at, event.at)
      toldAt[id] = max(toldAt[id] ?? event.at, event.at)
    }
    self.toldAt = toldAt
    self.eventAt = eventAt
  }

  private static func byID(_ requests: [PendingRequest]) -> [NotificationID: PendingRequest] {
    var byID = [NotificationID: PendingRequest](minimumCapacity: requests.count)
    for request in requests { byID[request.id] = request }
    return byID
  }

  /// Whether the device says that it delivered a request of this id.
  func confirms(_ id: NotificationID) -> Bool { center.contains(id) || toldAt[id] != nil }

  /// Whether it says that it delivered the one that came due then: what is told of an earlier time is of an earlier one.
  func confirms(_ id: NotificationID, dueAt time: Instant) -> Bool {
    center.contains(id) || toldAt[id].map { $0 >= time.adding(seconds: -Self.secondsOfRounding) } ?? false
  }

  /// When the device told of one by an event, where its clock is then ahead of ours, and by a day at most.
  func toldAheadOf(_ now: Instant, _ id: NotificationID) -> Instant? {
    eventAt[id].flatMap { time in
      time > now && time <= now.adding(seconds: Self.mostSecondsAhead) ? time : nil
    }
  }

  /// Whether it says of anything that it was delivered.
  var confirmsAnything: Bool { !center.isEmpty || !toldAt.isEmpty }

  /// The latest time by the device's clock that can speak for a delivery without anybody's word.
  func latest(_ now: Instant) -> Instant {
    guard source == .report, let sentAt, sentAt <= now.adding(seconds: Self.mostSecondsAhead) else {
      return now
    }
    return max(now, sentAt)
  }

  /// Whether the device says that it holds this very request still; false when it does not say what it holds.
  func stillHolds(_ due: DeliveryMemory.Due) -> Bool { now.map { isHeld(due, in: $0) } ?? false }

  /// Whether the report, which may be a repetition, lists this very request as pending. Where there is none, whether
  /// the last one did, though its time had come.
  ///
  /// - Parameter seenAt: when the device reported last.
  func listsAsPending(_ due: DeliveryMemory.Due, seenAt: Instant?) -> Bool {
    if let reported { return isHeld(due, in: reported) }
    guard source == .nothing, let seenAt, seenAt >= due.delivery.at else { return false }
    return isHeld(due, in: before)
  }

  /// Whether a request has rung that is due only later by our clock: the device's own is ahead, or was.
  ///
  /// What is still pending has not rung, whatever its clock says. What is gone has where the device tells of it; or
  /// where it had shown it, and its clock has passed the time since.
  ///
  /// - Parameters:
  ///   - seenAt: when it reported last, and was given what it had not shown yet.
  ///   - isKnown: whether an earlier one of the same id has rung, which the device may be telling of.
  func hasRungEarly(_ due: DeliveryMemory.Due, now: Instant, seenAt: Instant?, isKnown: Bool) -> Bool {
    guard source == .report, couldDeliver, !stillHolds(due) else { return false }
    let time = due.delivery.at
    if isTold(due, isKnown: isKnown) { return true }
    guard self.now != nil, !edited.contains(due.delivery.id), had(due), time <= latest(now) else {
      return false
    }
    if isHeld(due, in: before) { return true }
    // By its own clock it was still to come when it was given.
    let ahead = latest(now).milliseconds - now.milliseconds
    return seenAt.map { time.milliseconds > $0.milliseconds + ahead } ?? false
  }

  /// Whether the device's word is on this very request.
  func isTold(_ due: DeliveryMemory.Due, isKnown: Bool) -> Bool {
    guard confirms(due.delivery.id) else { return false }
    if !isKnown { return true }
    guard now != nil, had(due), let told = toldAt[due.delivery.id] else { return false }
    return told >= due.delivery.at
  }

  /// Whether the device had this very request: it said so, or it applied a plan with it.
  func had(_ due: DeliveryMemory.Due) -> Bool {
    if isHeld(due, in: before) { return true }
    guard let planVersion else { return false }
    // Each plan of those that held it brought it in time, whichever answers were lost.
    if planVersion <= due.lastPlanVersion || due.planVersion == 0 { return planVersion >= due.planVersion }
    // A newer plan may have reached it when the time had passed, and none of those ever.
    return appliedBefore.map { $0 >= due.planVersion } ?? false
  }

  /// Whether it may have had this very request and never said so: it lives by a plan made after the time had come, which
  /// it asked for by itself, and no report tells what it lived by until then.
  func isUntold(_ due: DeliveryMemory.Due) -> Bool {
    guard source == .report, couldDeliver, let planVersion, let fetched, !had(due) else { return false }
    return min(planVersion, fetched) > due.lastPlanVersion
  }

  /// One without a revision is taken for ours, whichever it is.
  private func isHeld(_ due: DeliveryMemory.Due, in requests: [NotificationID: PendingRequest]) -> Bool {
    guard let request = requests[due.delivery.id] else { return false }
    return (request.revisionHash ?? due.revisionHash) == due.revisionHash
  }

  /// What a report makes of one fire that has come. A repetition decides nothing: the next report will.
  ///
  /// - Parameter isLast: of all fires of its request: the only one that standing in Notification Center confirms.
  func verdict(on due: DeliveryMemory.Due, isLast: Bool) -> Verdict {
    if source == .repetition { return .open }
    let had = had(due)
    // What stands there may be an older notification of the same id, when the device never had the newer one.
    if isLast, confirms(due.delivery.id, dueAt: due.delivery.at), had || planVersion == nil {
      return .delivered
    }
    if isUntold(due) { return .untold }
    guard let now else {
      // It says that it still lives by an older plan: it will have had no time to hold this one when it was due.
      return !had && planVersion != nil ? .missed : .open
    }
    // Still pending: the device's clock is behind ours.
    if !due.repeats, isHeld(due, in: now) { return .open }
    return had && couldDeliver ? .delivered : .missed
  }

  /// What a report makes of a request that a newer plan has taken back: it has rung only on a device that says it
  /// still lives by an older plan.
  ///
  /// - Parameter seenAt: when it reported last.
  func verdict(on item: DeliveryMemory.Superseded, now: Instant, seenAt: Instant?) -> Verdict {
    let isBehind = planVersion.map { $0 < item.by } ?? false
    guard source == .report else {
      // Now or never: once the repetition is answered, the device has another plan.
      return isBehind && item.request.delivery.at <= now && had(item.request) && couldDeliver
        ? .delivered : .open
    }
    guard isBehind else { return .missed }
    guard item.request.delivery.at <= now else {
      // What its word is on may be an earlier one of this id.
      return hasRungEarly(item.request, now: now, seenAt: seenAt, isKnown: true) ? .delivered : .open
    }
    return verdict(on: item.request, isLast: true)
  }

  /// Whether the device may hold a request of a plan that is being replaced; true when it does not say what it holds.
  func mayHold(_ request: HeldRequest) -> Bool {
    guard let now else { return true }
    guard let pending = now[request.id] else { return false }
    return (pending.revisionHash ?? request.revisionHash) == request.revisionHash
  }

  /// Whether what is open will most likely turn out to have been delivered.
  func presumes(_ due: DeliveryMemory.Due) -> Bool {
    guard couldDeliver, had(due) else { return false }
    guard let now, !due.repeats else { return true }
    return !isHeld(due, in: now)
  }
}
