import CarillonJSON
import CarillonModel
import CarillonPlanner
import Testing

/// What holds in every world, whatever its rules.
@Suite struct PlanPropertyTests {
  typealias Finding = WorldProperty.Finding

  @Test func neverAboveCapacity() throws {
    try WorldProperty.check { world in
      let plan = world.input.planned().plan
      let regions = plan.held.count { $0.slot == .location }
      let mostRegions = max(0, min(world.policy.locationSlots, 20 - world.foreign.regions))
      return Finding(
        plan.held.count <= plan.capacity && plan.held.count + plan.foreign <= max(64, plan.foreign)
          && plan.capacity == max(0, world.policy.slots - plan.foreign) && regions <= mostRegions,
        "\(plan.held.count) held, \(plan.capacity) slots, \(regions) regions")
    }
  }

  @Test func aLimitIsNeverExceeded() throws {
    try WorldProperty.check(atLeast: 100) { world in
      let held = world.input.planned().plan.held
      let limited = (world.policy.types ?? []).filter { $0.limit != nil }
      if limited.isEmpty { return .notConcerned }
      return Finding(
        limited.allSatisfy { type in held.count { $0.type == type.name } <= type.limit! }, "\(held)")
    }
  }

  @Test func aReserveIsMetWheneverItsEntriesExist() throws {
    try WorldProperty.check(atLeast: 50) { world in
      let plan = world.input.planned().plan
      let reserving = (world.policy.types ?? []).filter { $0.reserve ?? 0 > 0 }
      // Where foreign requests, locations or what rings yet squeeze the slots, not all can be met.
      let reserves = reserving.reduce(0) { $0 + $1.reserve! }
      let free = plan.capacity - world.stillRinging.count - plan.held.count { $0.slot == .location }
      if reserving.isEmpty || reserves > free { return .notConcerned }
      let broken = reserving.filter { type in
        let held = plan.held.count { $0.type == type.name && $0.slot != .location }
        let waiting = plan.queued.contains {
          $0.type == type.name && $0.fireAt != nil && $0.reason == .noSlot
        }
        return held < type.reserve! && waiting
      }
      return Finding(broken.isEmpty, "\(broken.map(\.name)): \(plan)")
    }
  }

  @Test func nothingHeldHasPassed() throws {
    try WorldProperty.check { world in
      let plan = world.input.planned().plan
      let early = plan.held.filter { $0.fireAt.map { $0 <= world.now } ?? false }
      let isInOrder = zip(plan.held, plan.held.dropFirst()).allSatisfy { left, right in
        guard let leftFire = left.fireAt else { return right.fireAt != nil || left.id < right.id }
        guard let rightFire = right.fireAt else { return false }
        return leftFire != rightFire ? leftFire < rightFire : left.id < right.id
      }
      let isAhead = plan.refreshBy.map { $0 > world.now } ?? true
      return Finding(early.isEmpty && isInOrder && isAhead, "\(early) \(String(describing: plan.refreshBy))")
    }
  }

  @Test func everyEntryIsAccountedForOnce() throws {
    try WorldProperty.check { world in
      let plan = world.input.planned().plan
      let digests = Set(plan.held.filter { $0.digestCount != nil }.map(\.id))
      for entry in world.entries {
        let id = entry.notification.head.id
        let competes =
          plan.held.contains { $0.source == id && !digests.contains($0.id) }
          || plan.queued.contains { $0.id == id || $0.id.text.hasPrefix("\(id.text)@") }
        let places =
          [
            competes, plan.withheld.contains { $0.id == id }, plan.expired.contains { $0.id == id },
            plan.rejected.contains { $0.id == id },
          ].count { $0 }
        if places != 1 { return .broken("\(id) is in \(places) places: \(plan)") }
      }
      return .holds
    }
  }

  @Test func addingNeverDropsAMoreImportantOneOfItsType() throws {
    try WorldProperty.check(atLeast: 100, WorldProperty.withoutMoves) { world in
      guard let added = world.entries.last?.notification.head else { return .notConcerned }
      let after = world.input.planned().plan
      var smaller = world
      smaller.entries.removeLast()
      let before = smaller.input.planned().plan
      guard let mine = after.held.first(where: { $0.source == added.id }), mine.slot != .location else {
        // It got no slot, so it changed nobody's.
        return Finding(
          before.heldIDs == after.heldIDs || after.held.contains { $0.source == added.id },
          "\(added.id) waits, and yet \(before.heldIDs) became \(after.heldIDs)")
      }
      let dropped = before.held.filter { request in
        request.type == mine.type && !after.held.contains { $0.id == request.id }
      }
      // An expanded one takes several slots; compare with the last of them.
      let last = after.held.filter { $0.source == added.id }.map { Self.key($0, world) }.max { $0 < $1 }!
      let wrong = dropped.filter { Self.key($0, world) < last }
      return Finding(wrong.isEmpty, "\(added.id) dropped \(wrong.map(\.id))")
    }
  }

  /// What a request ranks by.
  struct RankOf: Comparable {
    var numbers: [Int64]
    var id: NotificationID
    static func < (left: RankOf, right: RankOf) -> Bool {
      left.numbers != right.numbers
        ? left.numbers.lexicographicallyPrecedes(right.numbers) : left.id < right.id
    }
  }

  private static func key(_ request: HeldRequest, _ world: RandomWorld) -> RankOf {
    let numbers = [request.fireAt?.milliseconds ?? 0, Int64(request.priority)]
    return RankOf(
      numbers: world.policy.order == .soonestFirst ? numbers : numbers.reversed(), id: request.id)
  }

  @Test func aPlanThatWasAppliedAsksForNothing() throws {
    try WorldProperty.check { world in
      let result = world.input.planned()
      // The device does as it is told.
      let ours = world.pending ?? world.sent.map { PendingRequest(id: $0) }
      let added = result.diff.add.map { result.plan.held[$0] }
      var after = ours.filter { request in
        !result.diff.remove.contains(request.id) && !added.contains { $0.id == request.id }
      }
      after += added.map { PendingRequest(id: $0.id, revision: $0.revision) }
      let strangers = after.filter { request in !result.plan.held.contains { $0.id == request.id } }
      let isDone =
        after.count - strangers.count == result.plan.held.count
        && strangers.allSatisfy {
          $0.revision == nil && !world.sent.contains($0.id) || world.stillRinging.contains($0.id)
        }
      var next = world
      next.pending = after
      let again = next.input.planned().diff
      return Finding(isDone && again.isEmpty, "\(after) leaves \(again)")
    }
  }

  @Test func aForeignRequestIsNeverNamed() throws {
    try WorldProperty.check(atLeast: 30) { world in
      let diff = world.input.planned().diff
      let queued = Set(world.entries.map(\.notification.head.id))
      let foreign = (world.pending ?? []).filter {
        $0.revision == nil && !world.sent.contains($0.id) && !queued.contains($0.id)
      }
      if foreign.isEmpty { return .notConcerned }
      return Finding(!foreign.contains { diff.remove.contains($0.id) }, "\(diff.remove)")
    }
  }

  private static func json(_ world: RandomWorld) -> [UInt8] {
    let result = world.input.planned()
    var writer = JSONWriter()
    do {
      try PlanEncoder.write(result.plan, diff: result.diff, contents: world.content, to: &writer)
    } catch { Issue.record("\(error)") }
    return writer.bytes
  }

  @Test func theSamePlanForAnyOrderOfTheInputAndTheSameBytes() throws {
    var shuffler = Seeded(seed: 7)
    try WorldProperty.check { world in
      var shuffled = world
      shuffled.entries.shuffle(using: &shuffler)
      shuffled.pending?.shuffle(using: &shuffler)
      shuffled.history.shuffle(using: &shuffler)
      shuffled.engagement.shuffle(using: &shuffler)
      let bytes = Self.json(world)
      return Finding(
        bytes == Self.json(world) && bytes == Self.json(shuffled),
        "\(String(decoding: bytes, as: UTF8.self))\n\(String(decoding: Self.json(shuffled), as: UTF8.self))")
    }
  }

  @Test func whoLeavesLetsTheRunnerUpIn() throws {
    try WorldProperty.check(atLeast: 60, WorldProperty.byRankAlone) { world in
      let before = world.input.planned().plan
      // One request for one slot.
      guard let leaving = before.held.first(where: { $0.slot == .rank && $0.id == $0.source }),
        before.held.count(where: { $0.source == leaving.source }) == 1,
        let runnerUp = before.queued.filter({ $0.fireAt != nil }).min(by: { $0.rank < $1.rank })
      else { return .notConcerned }
      var smaller = world
      smaller.entries.removeAll { $0.notification.head.id == leaving.source }
      let after = smaller.input.planned().plan
      return Finding(
        Set(after.heldIDs) == Set(before.heldIDs).subtracting([leaving.id.text]).union([runnerUp.id.text]),
        "\(leaving.id) left \(before.heldIDs), and \(after.heldIDs) came")
    }
  }

  @Test func aPolicyPutBackGivesItsPlanBack() throws {
    try WorldProperty.check { world in
      var changed = world
      changed.policy.order = world.policy.order == .soonestFirst ? .priorityFirst : .soonestFirst
      changed.policy.slots = 3
      changed.policy.quietHours = nil
      let bytes = Self.json(world)
      _ = changed.input.planned()
      var back = world
      do { back.policy = try Policy(parsing: world.policy.bytes) } catch { return .broken("\(error)") }
      return Finding(Self.json(back) == bytes, "the policy changed on its way through the document")
    }
  }

  @Test func aQueueMadeReadyOnceServesManyPlans() throws {
    let changes: [(inout RandomWorld, inout PlanInput) -> Void] = [
      { world, _ in world.now = world.now.adding(seconds: 61) },
      { world, _ in world.now = world.now.adding(seconds: 30_000) },
      { world, input in
        world.status = .provisional
        input.device.authorizationStatus = world.status
      },
      { world, input in
        world.settings.sound = .disabled
        input.device.settings = world.settings
      },
      { world, input in
        world.history.append(
          PastDelivery(id: NotificationID(unchecked: "a0"), type: "a", at: world.now))
        input.history = world.history
      },
      { world, input in
        world.policy.order = .priorityFirst
        world.policy.types = [NotificationType(name: "c", prefixes: ["a", "c"], priority: 1)]
        world.policy.frequencyCaps.removeAll { $0.types != nil }
        input.policy = CompiledPolicy(world.policy)
      },
      { world, input in
        world.zoneName = "Asia/Tokyo"
        input.device.zone = zone(world.zoneName)
      },
      { world, input in
        world.entries.removeFirst(min(1, world.entries.count))
        input.queue = world.input.queue
      },
      { world, _ in world.now = world.now.adding(seconds: 90_000) },
      { world, _ in world.now = world.now.adding(seconds: 40 * 86_400) },
      { world, _ in world.now = world.now.adding(seconds: 60 * 86_400) },
      { world, _ in world.now = world.now.adding(seconds: -3 * 86_400) },
      { world, input in
        world.settings.alert = .disabled
        world.settings.lockScreen = .disabled
        world.settings.notificationCenter = .disabled
        world.settings.badge = .disabled
        input.device.settings = world.settings
      },
      { world, input in
        world.status = .denied
        input.device.authorizationStatus = world.status
      },
    ]
    try WorldProperty.check { world in
      var world = world
      var input = world.input
      for (step, change) in changes.enumerated() {
        input.compileQueue(zones: zones)
        change(&world, &input)
        input.now = world.now
        let (kept, fresh) = (input.planned(), world.input.planned())
        if kept.plan != fresh.plan || kept.diff != fresh.diff { return .broken("change \(step)") }
      }
      return .holds
    }
  }
}
