import CarillonModel
import CarillonPlanner
import CarillonStore

/// A request of the stored plan with its fires that have come.
struct FiredRequest {
  var request: HeldRequest
  var times: [Instant]
  /// The first plan that held it, of all that have held it since; 0 where the device's word suffices that it had it.
  var planVersion: Int
  /// The stored plan.
  var lastPlanVersion: Int
  /// It came by the clock of where the device is now, and not of where it was.
  var isElsewhere = false
  /// Of what repeats, the last of the times where it is still to come by our clock, but has come by the device's own.
  var early: Instant?
  /// Of the times, one that was told before it came.
  var told: Instant?
}

/// Which notifications the fires of a plan's requests are occurrences of.
struct HeldOccurrences {
  private let plan: Plan
  /// When a notification is wished for by the clock of where the device is now.
  private let wishElsewhere: (NotificationID) -> Instant?
  /// The digests of the plan by their ids' beginnings, each with when its window ends.
  private var digests: [String: [(id: NotificationID, end: Instant)]] = [:]
  /// The members of each digest.
  private var members: [NotificationID: [QueuedRequest]] = [:]

  /// - Parameters:
  ///   - group: of the queue's entry; nil: it has none, or stands there no more.
  ///   - wishElsewhere: when it is wished for by the clock of where the device is now; nil: it does not stand there.
  init(
    _ plan: Plan, group: (NotificationID) -> String?,
    wishElsewhere: @escaping (NotificationID) -> Instant?
  ) {
    self.plan = plan
    self.wishElsewhere = wishElsewhere
    for request in plan.held where request.digestCount != nil {
      let prefix = String(request.id.text.prefix { $0 != "@" })
      // A group may have an "@" in its name: what counts is the last one.
      let beginning = request.id.text.lastIndex(of: "@").map { String(request.id.text[..<$0]) } ?? prefix
      digests[beginning, default: []].append(
        (request.id, request.moves.first?.to ?? request.fireAt ?? Instant(milliseconds: 0)))
    }
    guard !digests.isEmpty else { return }
    for member in plan.queued where member.reason == .digest {
      guard let group = group(member.id), let wish = member.fireAt else { continue }
      let digest = digests["digest.\(group)"]?.filter { $0.end >= wish }.min { $0.end < $1.end }
      if let digest { members[digest.id, default: []].append(member) }
    }
  }

  /// As yet without what became of them.
  func occurrences(of fired: FiredRequest) -> [StoredDelivery] {
    let request = fired.request
    return fired.times.filter { $0 != fired.told }.flatMap { time -> [StoredDelivery] in
      guard request.digestCount == nil else {
        return (members[request.id] ?? []).compactMap { member in
          let wish = fired.isElsewhere ? wishElsewhere(member.id) ?? member.fireAt : member.fireAt
          return wish.map {
            row(member.id, type: member.type, wishedAt: $0, dueAt: time, of: fired)
          }
        }
      }
      let isOwn = request.trigger.repeats || fired.isElsewhere
      let wish = isOwn ? time : request.moves.first?.from ?? time
      let elsewhere = fired.isElsewhere ? wishElsewhere(request.source) : nil
      return [
        row(
          request.source, type: request.type, wishedAt: elsewhere ?? wish, dueAt: time, of: fired)
      ]
    }
  }

  private func row(
    _ id: NotificationID, type: String, wishedAt: Instant, dueAt: Instant, of fired: FiredRequest
  ) -> StoredDelivery {
    let request = fired.request
    var row = StoredDelivery(
      notification: id, wishedAt: wishedAt, request: request.id, type: type, dueAt: dueAt, outcome: .open,
      held: .init(
        revisionHash: request.revisionHash, planVersion: fired.planVersion,
        lastPlanVersion: fired.lastPlanVersion, repeats: request.trigger.repeats))
    row.reach = request.reach
    row.unmetNeeds = request.unmetNeeds
    return row
  }
}

extension StoredDelivery {
  /// What evidence is asked about; nil: it was not held.
  var due: DeliveryMemory.Due? {
    held.map { held in
      DeliveryMemory.Due(
        delivery: PastDelivery(id: request, type: type, at: dueAt), revisionHash: held.revisionHash,
        planVersion: held.planVersion, lastPlanVersion: held.lastPlanVersion, repeats: held.repeats)
    }
  }
}
