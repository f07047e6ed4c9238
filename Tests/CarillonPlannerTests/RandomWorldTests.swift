import CarillonJSON
import CarillonModel
import CarillonPlanner
import Foundation
import Testing

/// The planner against a second, naive one over random small worlds.
@Suite struct RandomWorldTests {
  @Test func againstTheNaivePlanner() throws {
    var seeds = Seeded(seed: Seeded.announced("againstTheNaivePlanner"))
    var tally = WorldTally()
    for _ in 0..<(Seeded.isLong ? 50_000 : 300) {
      let seed = seeds.next()
      let world = RandomWorld(seed: seed)
      let (real, naive) = Self.both(world)
      tally.add(world, real)
      guard Self.differences(real, naive).isEmpty else {
        let small = world.shrunk { !Self.differences(Self.both($0)).isEmpty }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-world-\(seed)")
        let command = try small.write(to: folder)
        Issue.record("world \(seed):\n\(Self.differences(Self.both(small)))\n\(command)")
        return
      }
    }
    print(tally.text)
    #expect(tally.missing.isEmpty, "never happened: \(tally.missing)")
  }

  @Test func aWorldSurvivesItsFiles() throws {
    var seeds = Seeded(seed: 11)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "carillon-files-\(UInt64.random(in: 0...UInt64.max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    for _ in 0..<20 {
      let world = RandomWorld(seed: seeds.next())
      #expect(try world.write(to: folder).contains("--now \(world.now.text)"))
      func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appendingPathComponent(name)))
      }
      #expect(try Policy(parsing: bytes("policy.json")) == world.policy)
      var read: [CarillonModel.Notification] = []
      try JSONReader.read(bytes("queue.json")) { (reader) throws(JSONError) in
        try CarillonModel.Notification.readEach(from: &reader, pointer: "") {
          if case .success(let item) = $0 { read.append(item) }
        }
      }
      #expect(read == world.entries.map(\.notification))
      #expect(try JSONValue(parsing: bytes("history.json")).array?.count == world.history.count)
      #expect(try JSONValue(parsing: bytes("device.json")).object != nil)
    }
  }

  static func both(_ world: RandomWorld) -> (PlanResult, PlanResult) {
    var real = world.input.planned()
    // The words of a refusal are for people.
    for index in real.plan.rejected.indices { real.plan.rejected[index].detail = "" }
    return (real, NaivePlanner.plan(world.input))
  }

  static func differences(_ pair: (real: PlanResult, naive: PlanResult)) -> String {
    differences(pair.real, pair.naive)
  }

  private static func differences(_ real: PlanResult, _ naive: PlanResult) -> String {
    if real.plan == naive.plan, real.diff == naive.diff { return "" }
    var text: [String] = []
    for ((name, left), (_, right)) in zip(lines(real), lines(naive)) where left != right {
      let (onlyReal, onlyNaive) = (left.filter { !right.contains($0) }, right.filter { !left.contains($0) })
      text += onlyReal.prefix(3).map { "\(name), real  \($0)" }
      text += onlyNaive.prefix(3).map { "\(name), naive \($0)" }
      if onlyReal.isEmpty, onlyNaive.isEmpty { text.append("\(name) in another order") }
    }
    return text.isEmpty ? "the plans differ" : text.joined(separator: "\n")
  }

  private static func lines(_ result: PlanResult) -> [(String, [String])] {
    let plan = result.plan
    return [
      ("held", plan.held.map(line)), ("queued", plan.queued.map { "\($0)" }),
      ("withheld", plan.withheld.map { "\($0)" }), ("expired", plan.expired.map { "\($0)" }),
      ("rejected", plan.rejected.map { "\($0)" }), ("remove", result.diff.remove.map(\.text)),
      ("add", [result.diff.add.map { plan.held[$0].id.text }.joined(separator: " ")]),
      ("refreshBy", ["\(plan.refreshBy?.text ?? "nil")"]),
      ("coversUntil", ["\(plan.coversUntil?.text ?? "nil")"]),
      ("evictions", plan.evictionsByType.map { "\($0)" }.sorted()), ("starved", ["\(plan.starved)"]),
      ("foreign, capacity", ["\(plan.foreign) \(plan.capacity)"]),
    ]
  }

  private static func line(_ request: HeldRequest) -> String {
    let moves = request.moves.map { "\($0.by) \($0.from) -> \($0.to)" }
    return
      "\(request.id) of \(request.source) \(request.type) \(request.priority) at \(request.fireAt?.text ?? "-") "
      + "\(String(decoding: request.trigger.canonicalBytes, as: UTF8.self)) \(request.reach) \(request.unmetNeeds) "
      + "\(moves) \(request.slot) badge \(request.badge ?? 0) count \(request.digestCount ?? 0) \(request.revision)"
  }
}
