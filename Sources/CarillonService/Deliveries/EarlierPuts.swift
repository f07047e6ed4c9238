import CarillonModel
import CarillonPlanner
import CarillonStore

/// What was put anew under its id with another time. A device that did not know it yet may ring the older request: that
/// is another occurrence, by which the newer one is neither delivered nor over.
struct EarlierPuts {
  private let planner: DevicePlanner
  private let entries: [NotificationID: StoredEntry]
  /// Where the device was, and where it is.
  private let devices: [PlanningDevice]
  private let journey: Journey?
  private let now: Instant

  init(
    _ planner: DevicePlanner, _ situation: DevicePlanner.Situation, _ journey: Journey?, now: Instant
  ) throws(ServiceError) {
    self.planner = planner
    self.journey = journey
    self.now = now
    entries = PassedWishes.byID(situation.queueBefore)
    devices = [try planner.planningDevice(situation.before), try planner.planningDevice(situation.state)]
  }

  /// The fires of a request that are none of what the queue has under its id.
  func deliveries(of fired: FiredRequest) -> [PastDelivery] {
    let request = fired.request
    guard request.digestCount == nil, request.source == request.id else { return [] }
    return fired.times.filter { time in
      isAnother(request.id, wishedAt: Instant(milliseconds: time.milliseconds - request.delay))
    }.map { PastDelivery(id: request.id, type: request.type, at: $0) }
  }

  /// Whether what a newer plan had taken back was of an older put.
  func contains(_ item: DeliveryMemory.Superseded) -> Bool {
    isAnother(item.request.delivery.id, wishedAt: item.wishedAt)
  }

  private func isAnother(_ id: NotificationID, wishedAt wish: Instant) -> Bool {
    guard let entry = entries[id], !entry.head.trigger.repeats else { return false }
    return !devices.contains { planner.wish(of: entry, on: $0, now: now) == wish }
      && journey?.wish(of: entry) != wish
  }
}

extension HeldRequest {
  /// Milliseconds by which it was moved from its wish.
  var delay: Int64 {
    guard let fire = fireAt, let wish = moves.first?.from else { return 0 }
    return fire.milliseconds - wish.milliseconds
  }
}
