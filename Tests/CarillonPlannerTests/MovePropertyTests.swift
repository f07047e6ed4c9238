import CarillonModel
import CarillonPlanner
import Testing

/// What holds of everything that is moved or merged.
@Suite struct MovePropertyTests {
  typealias Finding = WorldProperty.Finding

  @Test func betweenAWishAndItsMovedTimeThePlanStays() throws {
    try WorldProperty.check(atLeast: 40, Self.withoutReturns) { world in
      let first = world.input.planned().plan
      let moved = first.held.filter { $0.moves.first.map { $0.from > world.now } ?? false }
      if Self.mayComeBack(first) { return .notConcerned }
      for request in moved {
        guard let wish = request.moves.first?.from, let fire = request.fireAt else { continue }
        for step in [1, 50, 99] {
          let middle = wish.milliseconds + (fire.milliseconds - wish.milliseconds) * Int64(step) / 100
          if let fault = Self.change(of: request, first, world, at: Instant(milliseconds: middle)) {
            return .broken(fault)
          }
        }
      }
      return moved.isEmpty ? .notConcerned : .holds
    }
  }

  /// Whether something is dropped now that a later plan may want again, and that then takes its place from others.
  private static func mayComeBack(_ plan: Plan) -> Bool {
    plan.withheld.contains { $0.reason == .capped || $0.reason == .quietHours }
  }

  /// Nothing late waits for the end of a window or of a cap that drops it.
  private static func withoutReturns(_ world: inout RandomWorld) {
    WorldProperty.withoutCompetition(&world)
    let drops = (world.policy.types ?? []).contains { type in
      type.cap != .hold || type.quietHours == .drop || type.quietHours == .inbox
    }
    for index in world.entries.indices where drops {
      world.entries[index].notification.head.overdue = .expire
    }
  }

  /// What becomes of a request when it is planned again later, and all that was due by then was delivered.
  private static func change(
    of request: HeldRequest, _ plan: Plan, _ world: RandomWorld, at now: Instant
  ) -> String? {
    var later = world
    later.now = now
    later.expired = Set(plan.expired.map(\.id))
    for held in plan.held {
      guard let fire = held.fireAt, fire <= now else { continue }
      later.history.append(PastDelivery(id: held.id, type: held.type, at: fire))
    }
    let again = later.input.planned().plan
    guard let same = (again.held.first { $0.id == request.id }) else { return "\(request) is gone at \(now)" }
    // How it came there may be told in another way: what rang since has its place before it.
    let isSame =
      same.fireAt == request.fireAt && same.trigger == request.trigger
      && same.moves.first?.from == request.moves.first?.from && same.moves.last?.to == request.moves.last?.to
    return isSame ? nil : "\(request) became \(same) at \(now)"
  }

  @Test func movesLeadForwardFromTheWishToTheFire() throws {
    try WorldProperty.check(atLeast: 60) { world in
      let moved = world.input.planned().plan.held.filter { !$0.moves.isEmpty }
      if moved.isEmpty { return .notConcerned }
      for request in moved {
        let isChain = zip(request.moves, request.moves.dropFirst()).allSatisfy { $0.to == $1.from }
        let isForward = request.moves.allSatisfy { $0.from < $0.to }
        let head = world.entries.first { $0.notification.head.id == request.source }!.notification.head
        let wish: Instant? =
          switch head.trigger {
          case .instant(let at): at
          case .local(let local): zone(world.zoneName).fire(of: local)
          default: nil
          }
        guard isChain, isForward, request.moves.last?.to == request.fireAt,
          wish == nil || wish == request.moves.first?.from
        else { return .broken("\(request)") }
      }
      return .holds
    }
  }

  @Test func aDigestStandsForItsMembersAndNobodyElse() throws {
    try WorldProperty.check(atLeast: 10) { world in
      let plan = world.input.planned().plan
      let members = plan.queued.filter { $0.reason == .digest }
      if members.isEmpty { return .notConcerned }
      for digest in plan.held where digest.digestCount != nil {
        let group = world.entries.first { $0.notification.head.id == digest.source }!.notification.head.group
        let own = members.filter { member in
          world.entries.first { $0.notification.head.id == member.id }!.notification.head.group == group
        }
        guard own.contains(where: { $0.id == digest.source }), own.count >= digest.digestCount!,
          digest.digestCount! > 1, digest.id.text.hasPrefix("digest.\(group ?? "?")@")
        else { return .broken("\(digest) of \(own)") }
      }
      let rings = members.filter { member in
        plan.held.contains { $0.id == member.id } || plan.withheld.contains { $0.id == member.id }
          || plan.expired.contains { $0.id == member.id }
      }
      return Finding(rings.isEmpty, "\(rings) are in a digest and elsewhere")
    }
  }

  @Test func withoutWindowsAndCapsOnlyTheOverdueMove() throws {
    try WorldProperty.check(WorldProperty.withoutMoves) { world in
      let plan = world.input.planned().plan
      let moved = plan.held.filter { $0.moves.contains { $0.by != "overdue" } || $0.digestCount != nil }
      let refused = plan.withheld.filter { $0.reason == .quietHours || $0.reason == .capped }
      return Finding(moved.isEmpty && refused.isEmpty, "\(moved) \(refused)")
    }
  }
}
