import CarillonModel
import CarillonPlanner

enum WorldTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    var world = FuzzWorld(bytes)
    guard let input = world.input() else { return }
    let result = Planner.plan(input, zones: WorldZones.folder)
    try PlanChecks(input: input, result: result).check()
    try PlanTarget.roundTrip(result.plan)
    try orderDoesNotMatter(input, result)
    try theExplanationAgrees(input, result)
    try aDeviceThatDoesAsToldIsDone(input, result)
  }

  private static func orderDoesNotMatter(_ input: PlanInput, _ result: PlanResult) throws(Finding) {
    var other = input
    other.queue.reverse()
    // Turned by a third, so that more than neighbours change places.
    let cut = other.queue.count / 3
    other.queue = Array(other.queue[cut...] + other.queue[..<cut])
    other.pending?.reverse()
    other.history.reverse()
    other.engagement.reverse()
    let shuffled = Planner.plan(other, zones: WorldZones.folder)
    try expect(shuffled.plan == result.plan, "the order of the queue changes the plan")
    try expect(shuffled.diff == result.diff, "the order of the queue changes the diff")
  }

  /// One of the queue is enough: each explanation costs a plan.
  private static func theExplanationAgrees(_ input: PlanInput, _ result: PlanResult) throws(Finding) {
    guard let entry = input.queue.last else { return }
    let id = entry.head.id
    let explanation = Planner.explain(id, in: input, zones: WorldZones.folder)
    let plan = result.plan
    let state: Explanation.State? =
      if plan.held.contains(where: { $0.id == id }) {
        .held
      } else if plan.queued.contains(where: { $0.id == id }) {
        .queued
      } else if plan.withheld.contains(where: { $0.id == id }) {
        .withheld
      } else if plan.expired.contains(where: { $0.id == id }) {
        .expired
      } else if plan.rejected.contains(where: { $0.id == id }) {
        .rejected
      } else {
        // Occurrences stand for it, or a digest.
        nil
      }
    try expect(
      state == nil || explanation.state == state,
      "\(id) is \(explanation.state), in the plan \(String(describing: state))")
    try expect(explanation.state != .unknown, "\(id) stands in the queue and is unknown")
    try expect(!explanation.summary.isEmpty, "an explanation without words")
  }

  private static func aDeviceThatDoesAsToldIsDone(
    _ input: PlanInput, _ result: PlanResult
  ) throws(Finding) {
    var next = input
    let before = input.pending ?? input.sent.map { PendingRequest(id: $0) }
    let added = Set(result.diff.add.map { result.plan.held[$0].id })
    next.pending =
      before.filter { !result.diff.remove.contains($0.id) && !added.contains($0.id) }
      + result.diff.add.map { index in
        PendingRequest(id: result.plan.held[index].id, revision: result.plan.held[index].revision)
      }
    let again = Planner.plan(next, zones: WorldZones.folder)
    // What was taken for foreign may be known as ours now, so that only an equal count means an equal plan.
    guard again.plan.foreign == result.plan.foreign else { return }
    try expect(again.plan == result.plan, "a device that did as told gets another plan")
    try expect(again.diff.isEmpty, "a device that did as told is told again: \(again.diff)")
  }
}
