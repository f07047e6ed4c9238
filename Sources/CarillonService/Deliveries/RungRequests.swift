import CarillonModel
import CarillonPlanner
import CarillonStore

/// Which requests of the stored plan have come due, by our clock, by the zones of a journey, or by the device's own
/// clock, which may be ahead of ours.
struct RungRequests {
  let situation: DevicePlanner.Situation
  let evidence: DeliveryEvidence
  let fires: PastFires
  let journey: Journey?
  /// Of the stored plan.
  private let planVersion: Int
  /// As ``DeliveryMemory/heldSince``.
  private let heldSince: [NotificationID: Int]
  private let entries: QueueIndex

  init(
    _ situation: DevicePlanner.Situation, _ evidence: DeliveryEvidence, fires: PastFires, journey: Journey?,
    planVersion: Int, heldSince: [NotificationID: Int]
  ) {
    self.situation = situation
    self.evidence = evidence
    self.fires = fires
    self.journey = journey
    self.planVersion = planVersion
    self.heldSince = heldSince
    entries = QueueIndex(situation.queueBefore)
  }

  /// Nil when its time has not come.
  func fired(_ request: HeldRequest) -> FiredRequest? {
    if case .calendar = request.trigger, request.trigger.repeats { return repeatedly(request) }
    guard !isTold(request) else { return nil }
    if let journey,
      let passage = journey.passage(of: request, acceptedAt: entries[request.source]?.acceptedAt)
    {
      switch passage {
      case .came(let time, let again):
        // It may have gone west before, and hold it for the new time.
        let waits = again && evidence.stillHolds(due(request, at: time))
        return waits ? nil : fired(request, at: time, after: journey)
      case .leapt(let time):
        // Never, unless the device says so.
        let hasRung = evidence.confirms(request.id) && evidence.had(due(request, at: time))
        return hasRung ? fired(request, at: time, after: journey) : nil
      case .ahead: break
      }
    } else {
      let times = fires.of(request)
      if !times.isEmpty {
        return fired(request, at: times)
      }
    }
    guard !request.trigger.repeats, let time = request.fireAt, time > fires.now else { return nil }
    let due = due(request, at: time)
    let isKnown = hasRungBefore(request)
    guard evidence.hasRungEarly(due, now: fires.now, seenAt: situation.seenAt, isKnown: isKnown) else {
      return nil
    }
    let isTold = evidence.isTold(due, isKnown: isKnown)
    var fired = fired(request, at: [time])
    if isTold { fired.planVersion = 0 }
    return fired
  }

  /// What repeats by the wall clock; its next time may have come by the device's own, so its user's tap tells.
  private func repeatedly(_ request: HeldRequest) -> FiredRequest? {
    var fired = fired(request, at: fires.of(request))
    if let told = situation.truth.delivered[request.id],
      told.acceptedAt == entries[request.source]?.acceptedAt
    {
      fired.told = told.at
    }
    if let early = early(of: request), early != fired.told {
      fired.times.append(early)
      fired.early = early
    }
    return fired.times.isEmpty ? nil : fired
  }

  private func early(of request: HeldRequest) -> Instant? {
    guard evidence.source == .report, evidence.couldDeliver,
      let told = evidence.toldAheadOf(fires.now, request.id)
    else { return nil }
    let ahead = PastFires(device: fires.device, zones: fires.zones, now: told)
    guard let time = ahead.of(request).last, time > fires.now, evidence.had(due(request, at: time)) else {
      return nil
    }
    return time
  }

  /// It was told before its time came.
  private func isTold(_ request: HeldRequest) -> Bool {
    guard let told = situation.truth.delivered[request.id],
      told.acceptedAt == entries[request.source]?.acceptedAt
    else { return false }
    return told.at == request.fireAt
  }

  private func fired(_ request: HeldRequest, at time: Instant, after journey: Journey) -> FiredRequest {
    var fired = fired(request, at: [time])
    fired.isElsewhere = time != request.fireAt
    return fired
  }

  private func fired(_ request: HeldRequest, at times: [Instant]) -> FiredRequest {
    FiredRequest(
      request: request, times: times, planVersion: version(of: request), lastPlanVersion: planVersion)
  }

  private func due(_ request: HeldRequest, at time: Instant) -> DeliveryMemory.Due {
    DeliveryMemory.Due(
      delivery: PastDelivery(id: request.id, type: request.type, at: time),
      revisionHash: request.revisionHash, planVersion: version(of: request), lastPlanVersion: planVersion,
      repeats: request.trigger.repeats)
  }

  private func version(of request: HeldRequest) -> Int { heldSince[request.id] ?? planVersion }

  /// Whether an earlier one of this id is known to have come: what the device tells may be about that.
  private func hasRungBefore(_ request: HeldRequest) -> Bool {
    situation.occurrences.contains {
      ($0.request == request.id || $0.notification == request.id) && $0.dueAt <= fires.now && !$0.isPostponed
    }
  }
}
