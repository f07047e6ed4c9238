import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonStore

/// What a sync is answered.
public enum SyncAnswer: Sendable {
  case full(SyncResponse)
  /// Nothing is new: the stored answer, with the time put in.
  case steady(SteadyForm)

  /// The JSON of the answer.
  public func write(to writer: inout JSONWriter, now: Instant) {
    switch self {
    case .full(let response): response.write(to: &writer)
    case .steady(let form): form.write(to: &writer, now: now)
    }
  }
}

/// The answer to a report without news: all that stays the same from one such report to the next, kept encoded.
public struct SteadyForm: Sendable {
  var planVersion: Int
  /// The JSON from behind the time to its end.
  var tail: [UInt8]

  init(planVersion: Int, tail: [UInt8]) {
    self.planVersion = planVersion
    self.tail = tail
  }

  init(_ response: SyncResponse) {
    var response = response
    // Who was told a new id reports under it from now on.
    (response.deviceId, response.deviceToken) = (nil, nil)
    planVersion = response.planVersion
    var writer = JSONWriter()
    response.write(to: &writer)
    let whole = writer.bytes
    tail = Array(whole[Self.head(response.planVersion, response.serverTime).count...])
  }

  func write(to writer: inout JSONWriter, now: Instant) {
    writer.raw(Self.head(planVersion, now) + tail)
  }

  /// The two members every answer begins with.
  private static func head(_ planVersion: Int, _ time: Instant) -> [UInt8] {
    Array("{\"planVersion\":\(planVersion),\"serverTime\":\"\(time)\"".utf8)
  }

  static func digest(report: UInt64, zoneData: String) -> UInt64 {
    var hash = StableHash(continuing: report)
    hash.combine(zoneData)
    return hash.state
  }
}

extension ReceivedReport {
  /// Whether it brings nothing that must be taken in, only state.
  var isPlain: Bool {
    !request.hasEffects && rejected.isEmpty
  }
}

extension SyncResponse {
  init(_ plan: Plan, now: Instant) {
    self.init(planVersion: plan.version, serverTime: now, diff: SyncDiff(), slots: SlotCounts(plan))
    refreshBy = plan.refreshBy
  }
}

extension PlanResult {
  var addedRequests: [HeldRequest] { diff.add.map { plan.held[$0] } }

  /// The queue's ids whose contents the diff needs, in the order of their bytes.
  var wantedContents: [NotificationID] { Set(addedRequests.map(\.source)).sorted() }
}

extension SyncRequest {
  /// What it speaks of that may be known.
  var mentions: ReportMentions {
    var notifications = Set(delivered ?? [])
    for event in events {
      if let id = event.notification { notifications.insert(id) }
    }
    return ReportMentions(notifications: notifications.sorted(), events: events.map(\.id))
  }
}

extension DeviceSnapshot {
  /// What ages are reckoned from (``RetentionClock``).
  func forgetsAsOf(_ now: Instant) -> Instant { min(now, retentionAt ?? now) }
}

extension DeviceEvent {
  /// No SDK resends a report older than this, so the ids of its events need not be known any longer.
  static let secondsIdsAreKept: Int64 = 90 * 86_400
}

extension SyncEvent {
  var stored: DeviceEvent {
    DeviceEvent(id: id, kind: kind.text, notification: notification, name: name, at: at)
  }
}
