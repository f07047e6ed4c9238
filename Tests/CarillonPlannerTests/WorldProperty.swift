import CarillonModel
import CarillonPlanner
import Foundation
import Testing

/// Checks of what holds in every random world.
enum WorldProperty {
  /// All tests look at the same worlds: they are dear to make. The long run has fifty times as many.
  static let all: [RandomWorld] = {
    var seeds = Seeded(seed: Seeded.announced("WorldProperty"))
    return (0..<Seeded.count(250)).map { _ in RandomWorld(seed: seeds.next()) }
  }()

  /// Runs a check over random worlds; the first that fails is shrunk and written down.
  ///
  /// - Parameters:
  ///   - atLeast: how many worlds it must have to do with.
  ///   - prepare: makes more worlds such that it has.
  ///   - broken: what is wrong with a world.
  static func check(
    atLeast: Int = 200, _ prepare: (inout RandomWorld) -> Void = { _ in }, _ broken: (RandomWorld) -> Finding
  ) throws {
    var checked = 0
    for (number, world) in Self.all.enumerated() {
      var world = world
      prepare(&world)
      switch broken(world) {
      case .notConcerned: continue
      case .holds: checked += 1
      case .broken:
        let small = world.shrunk { if case .broken = broken($0) { true } else { false } }
        guard case .broken(let fault) = broken(small) else { return }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
          "carillon-property-\(number)")
        Issue.record("world \(number), shrunk: \(fault)\n\(try small.write(to: folder))")
        return
      }
    }
    #expect(checked >= atLeast, "only \(checked) worlds were concerned")
  }

  enum Finding {
    case holds, notConcerned
    case broken(String)

    init(_ holds: Bool, _ fault: @autoclosure () -> String) { self = holds ? .holds : .broken(fault()) }
  }

  /// Nothing moves and nothing is merged: who gets a slot is by rank alone.
  static func withoutMoves(_ world: inout RandomWorld) {
    (world.pending, world.sent) = (nil, [])
    world.policy.quietHours = nil
    world.policy.frequencyCaps = []
  }

  /// No limit or reserve hands a slot to somebody of another rank.
  static func byRankAlone(_ world: inout RandomWorld) {
    withoutMoves(&world)
    for index in (world.policy.types ?? []).indices {
      (world.policy.types![index].limit, world.policy.types![index].reserve) = (nil, nil)
    }
  }

  /// Slots for all, nothing that repeats or expands, and a device that can show everything: the passing of time brings
  /// nothing new.
  static func withoutCompetition(_ world: inout RandomWorld) {
    world.entries.removeAll(where: repeats)
    (world.policy.slots, world.foreign, world.pending) = (64, ForeignRequests(), nil)
    (world.status, world.settings, world.fatiguedAt) = (.authorized, NotificationSettings(), nil)
    world.policy.quietHours?.exempt = []
    for index in (world.policy.types ?? []).indices {
      (world.policy.types![index].limit, world.policy.types![index].capExempt) = (nil, false)
    }
  }

  static func repeats(_ entry: RandomWorld.Entry) -> Bool {
    switch entry.notification.head.trigger {
    case .instant, .local, .location: false
    case .interval(let trigger): trigger.repeats
    case .calendar(let trigger): trigger.repeats
    case .recurrence: true
    }
  }
}
