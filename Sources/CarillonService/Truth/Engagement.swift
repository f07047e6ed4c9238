import CarillonModel
import CarillonPlanner
import CarillonStore
import Glibc

/// How each type is received on one device: what was delivered and what of it was tapped, each weighing half as much
/// for every half-life that lies between it and the newest.
///
/// The weights move when something is counted and at no other time, so that time alone changes no plan.
struct Engagement {
  private var tallies: [String: TypeTally]
  private var at: Instant?
  /// Days.
  private let halfLife: Double
  private let now: Instant

  init(_ truth: DeviceTruth, _ rule: AdaptivePriority, now: Instant) {
    tallies = Dictionary(truth.tallies.map { ($0.type, $0) }) { first, _ in first }
    at = truth.talliedAt
    halfLife = Double(max(1, rule.halfLifeDays))
    self.now = now
  }

  /// - Parameter dueAt: when the notification came.
  mutating func count(type: String, dueAt: Instant, isDelivered: Bool, isTapped: Bool) {
    guard isDelivered || isTapped else { return }
    age()
    let weight = weight(since: dueAt)
    var tally = tallies[type] ?? TypeTally(type: type, delivered: 0, tapped: 0)
    if isDelivered { tally.delivered += weight }
    if isTapped { tally.tapped += weight }
    tallies[type] = tally
  }

  private mutating func age() {
    guard at != now else { return }
    if let at, at < now {
      let factor = weight(since: at)
      for type in tallies.keys {
        tallies[type]?.delivered *= factor
        tallies[type]?.tapped *= factor
      }
      // What weighs next to nothing counts for nothing.
      tallies = tallies.filter {
        $0.value.delivered >= Self.leastWeight || $0.value.tapped >= Self.leastWeight
      }
    }
    at = now
  }

  private static let leastWeight = 1e-6

  private func weight(since time: Instant) -> Double {
    exp2(-Double(max(0, now.milliseconds - time.milliseconds)) / 86_400_000 / halfLife)
  }

  func write(to truth: inout DeviceTruth) {
    truth.tallies = tallies.values.sorted { $0.type < $1.type }
    truth.talliedAt = at
  }
}

extension DeviceTruth {
  /// As the planner takes it.
  var engagement: [TypeEngagement] {
    tallies.map { TypeEngagement(type: $0.type, delivered: $0.delivered, tapped: $0.tapped) }
  }
}
