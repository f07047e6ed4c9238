import CarillonModel
import CarillonPlanner
import Foundation

/// Holds the two planners against each other before they are timed: equal entries must mean equal work.
struct Agreement {
  private let world: SampleWorld
  private let rival: PlainPlanner

  init(_ world: SampleWorld, _ rival: PlainPlanner) {
    self.world = world
    self.rival = rival
  }

  /// Every entry fires at the same instant for both, and without rules both keep requests of the same times and
  /// priorities; ids alone may differ where these tie.
  func check(_ progress: (String) -> Void) throws {
    let input = world.input
    for (index, entry) in input.queue.enumerated() {
      let ours = Planner.firstFire(
        of: entry.head, acceptedAt: entry.acceptedAt, now: input.now, device: input.device,
        zones: world.zones)
      let theirs = rival.fire(index)?.instant
      guard ours == theirs else {
        throw LoadFailure(
          detail: "\(entry.head.id) fires at \(String(describing: ours)), "
            + "by Foundation at \(String(describing: theirs))")
      }
    }
    let held = Planner.plan(input, zones: world.zones).plan.held.compactMap { request in
      request.fireAt.map { Place(time: $0, priority: request.priority) }
    }
    let kept = rival.plan().map { Place(time: $0.date.instant, priority: $0.priority) }
    guard held.sorted() == kept.sorted() else {
      throw LoadFailure(detail: "the two keep requests of other times or priorities")
    }
    progress("both agree on all \(input.queue.count) fires and on what is kept")
  }

  private struct Place: Comparable {
    var time: Instant
    var priority: Int

    static func < (left: Place, right: Place) -> Bool {
      (left.time, left.priority) < (right.time, right.priority)
    }
  }
}
