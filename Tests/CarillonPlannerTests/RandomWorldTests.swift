import CarillonModel
import CarillonPlanner
import Testing

/// The planner against a second, naive one over random small worlds, and what holds in all of them.
@Suite struct RandomWorldTests {
  @Test(.disabled("The naive planner does not follow a passed wish to its moved time yet."))
  func againstTheNaivePlanner() {
    var seeds = Seeded(seed: Seeded.announced("againstTheNaivePlanner"))
    let count = Seeded.count(100)
    var compared = 0
    for _ in 0..<count {
      let seed = seeds.next()
      var world = RandomWorld(seed: seed)
      let input = world.input()
      guard let expected = NaivePlanner.plan(input) else { continue }
      compared += 1
      let result = input.planned()
      guard result.plan == expected.plan, result.diff == expected.diff else {
        Issue.record(
          "world \(seed):\n\(differences(result, expected))\nqueue \(input.queue.map(\.head))\npolicy \(input.policy.policy)\nzone \(input.device.zone.name) now \(input.now)"
        )
        return
      }
    }
    #expect(compared > count / 2)
  }

  private func differences(_ real: PlanResult, _ naive: PlanResult) -> String {
    var lines: [String] = []
    for (name, left, right) in [
      ("held", "\(real.plan.held)", "\(naive.plan.held)"),
      ("queued", "\(real.plan.queued)", "\(naive.plan.queued)"),
      ("withheld", "\(real.plan.withheld)", "\(naive.plan.withheld)"),
      ("expired", "\(real.plan.expired)", "\(naive.plan.expired)"), ("diff", "\(real.diff)", "\(naive.diff)"),
      (
        "refreshBy", "\(String(describing: real.plan.refreshBy))",
        "\(String(describing: naive.plan.refreshBy))"
      ),
      (
        "coversUntil", "\(String(describing: real.plan.coversUntil))",
        "\(String(describing: naive.plan.coversUntil))"
      ),
      (
        "foreign, starved", "\(real.plan.foreign) \(real.plan.starved)",
        "\(naive.plan.foreign) \(naive.plan.starved)"
      ),
    ] where left != right { lines.append("\(name)\n  real  \(left)\n  naive \(right)") }
    return lines.joined(separator: "\n")
  }

  @Test func whatHoldsInAllWorlds() {
    var seeds = Seeded(seed: Seeded.announced("whatHoldsInAllWorlds"))
    for _ in 0..<Seeded.count(500) {
      let seed = seeds.next()
      var world = RandomWorld(seed: seed)
      var input = world.input()
      let result = input.planned()
      #expect(result.plan.held.count <= result.plan.capacity, "world \(seed)")
      #expect(result.plan.held.allSatisfy { $0.fireAt.map { $0 > input.now } ?? true }, "world \(seed)")

      input.queue.shuffle(using: &seeds)
      input.pending?.shuffle(using: &seeds)
      let shuffled = input.planned()
      #expect(shuffled.plan == result.plan && shuffled.diff == result.diff, "world \(seed): order matters")

      // The device does as it is told.
      let ours = input.pending ?? input.sent.map { PendingRequest(id: $0) }
      var after = ours.filter { request in
        !result.diff.remove.contains(request.id)
          && !result.diff.add.contains { result.plan.held[$0].id == request.id }
      }
      after += result.diff.add.map {
        PendingRequest(id: result.plan.held[$0].id, revision: result.plan.held[$0].revision)
      }
      let strangers = after.filter { request in !result.plan.held.contains { $0.id == request.id } }
      #expect(after.count - strangers.count == result.plan.held.count, "world \(seed)")
      #expect(strangers.allSatisfy { $0.revision == nil && !input.sent.contains($0.id) }, "world \(seed)")
      input.pending = after
      #expect(input.planned().diff.isEmpty, "world \(seed): a device that did as told is told again")
    }
  }
}
