import CarillonModel
import Foundation
import Testing

@testable import CarillonClient

/// What holds of any plan a device makes by itself, whatever it knows, holds and is asked for.
@Suite struct LocalPlanPropertyTests {
  private static let policies = [
    "{}", #"{"slots": 20}"#, #"{"slots": 30, "order": "priorityFirst"}"#,
    #"{"quietHours": {"windows": [{"from": "12:00", "to": "16:30"}]}, "types": [{"name": "in", "prefixes": ["k.1"], "quietHours": "drop"}, {"name": "few", "prefixes": ["k.2", "p.2"], "limit": 3}]}"#,
    #"{"frequencyCaps": [{"limit": 3, "per": 3600}], "types": [{"name": "drop", "prefixes": ["k.3"], "cap": "drop"}]}"#,
  ]

  /// The same ones in the ordinary run.
  private static let seed: UInt64 = {
    let environment = ProcessInfo.processInfo.environment
    let given = environment["CARILLON_SEED"].flatMap { UInt64($0) }
    return given ?? (environment["CARILLON_LONG"] == nil ? 20_261_201 : .random(in: 0...999_999_999))
  }()

  @Test func nothingIsTakenBackWithoutNeedAndNoLimitIsBroken() {
    print("LocalPlanPropertyTests: CARILLON_SEED=\(Self.seed)")
    let count = ProcessInfo.processInfo.environment["CARILLON_LONG"] == nil ? 300 : 10_000
    for number in 0..<count {
      var random = Random(seed: Self.seed &+ UInt64(number))
      let device = Self.device(&random)
      check(device, "case \(number)")
    }
  }

  private func check(_ device: OfflineDevice, _ comment: Comment) {
    let plan = device.plan()
    let now = device.now
    let known = Dictionary(uniqueKeysWithValues: device.state.plan.map { ($0.id, $0) })
    let wished = Set(device.state.outbox.entries.compactMap(\.operation.id))
    var displaced = 0
    for id in plan.remove {
      #expect(device.pending.first { $0.id == id }?.revision != nil, "\(comment): \(id.text) is not ours")
      guard let request = known[id] else {
        #expect(wished.contains(id), "\(comment): nobody asked for \(id.text) to go")
        continue
      }
      if wished.contains(id) || (request.fireAt.map { $0 <= now } ?? false) { continue }
      displaced += 1
    }
    let places = plan.held.count { known[$0.id] == nil || wished.contains($0.id) }
    #expect(displaced <= places, "\(comment): \(displaced) lost their places to \(places)")
    // What is to be held, with what is left alone, has room.
    var after = device
    after.apply(plan)
    #expect(after.pending.count <= max(64, device.pending.count), comment)
    let strangers = device.pending.filter { $0.revision == nil }.map(\.id)
    #expect(Set(after.pending.map(\.id)).isSuperset(of: strangers), comment)
    // Done, it is done.
    let again = after.plan()
    #expect(again.isEmpty, "\(comment): \(again.added) and \(again.removed) once more")
  }

  private static func device(_ random: inout Random) -> OfflineDevice {
    var device = OfflineDevice()
    if random.chance(80) { device.setPolicy(policies[random.below(policies.count)]) }
    for number in 0..<random.below(8) { device.show("own.\(number)") }
    for number in 0..<random.below(4) { device.show("old.\(number)", revision: "00000000000000aa") }
    let room = 64 - device.pending.count
    let badges = random.chance(50)
    var badge = random.below(3)
    for number in 0..<random.below(room + 1) {
      if badges { badge += 1 }
      device.hold(
        "k.\(number)", after: Int64(number + 1) * Int64(120 + random.below(600)) - 600,
        badge: badges ? badge : nil)
    }
    if random.chance(30) { device.now = OfflineDevice.now.adding(seconds: Int64(random.below(20_000))) }
    if random.chance(10) { device.settings.authorizationStatus = .denied }
    for _ in 0..<random.below(10) {
      let name = ["p", "k", "old"][random.below(3)] + ".\(random.below(20))"
      if random.chance(70) {
        device.put(name, after: Int64(random.below(40_000)) + 60)
      } else {
        device.cancel(name)
      }
    }
    return device
  }

  private struct Random {
    var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: Int) -> Int {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
      return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  }
}
