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
    try aDeviceThatDoesAsToldIsDone(input, result)
  }

  private static func orderDoesNotMatter(_ input: PlanInput, _ result: PlanResult) throws(Finding) {
    var other = input
    other.queue.reverse()
    // Turned by a third, so that more than neighbours change places.
    let cut = other.queue.count / 3
    other.queue = Array(other.queue[cut...] + other.queue[..<cut])
    other.pending?.reverse()
    let shuffled = Planner.plan(other, zones: WorldZones.folder)
    try expect(shuffled.plan == result.plan, "the order of the queue changes the plan")
    try expect(shuffled.diff == result.diff, "the order of the queue changes the diff")
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
