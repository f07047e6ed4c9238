import CarillonModel

/// How the notifications of a type were received on this device (or by its cohort), older ones weighing less.
public struct TypeEngagement: Hashable, Sendable {
  public var type: String
  public var delivered: Double
  public var tapped: Double

  public init(type: String, delivered: Double, tapped: Double) {
    self.type = type
    self.delivered = delivered
    self.tapped = tapped
  }
}

extension CompiledPolicy {
  /// The priority of each type after adaptation, by type index.
  ///
  /// A type whose smoothed tap rate is twice that of all types together gains one step, four times two, and so on
  /// up to `maxShift`; half of it loses one. Smoothing is by a Beta prior worth ten deliveries at the common
  /// rate. What the user set (priority 0) neither moves nor is reached.
  func effectivePriorities(_ engagement: [TypeEngagement]) -> [Int32] {
    let plain = types.map { Int32(truncatingIfNeeded: $0.priority) }
    guard let rule = policy.adaptivePriority, !engagement.isEmpty else { return plain }
    let delivered = engagement.reduce(0) { $0 + $1.delivered }
    let common = (engagement.reduce(0) { $0 + $1.tapped } + 1) / (delivered + 2)
    var priorities = plain
    for (index, type) in types.enumerated() where type.adaptive && type.priority > 0 {
      guard let own = engagement.first(where: { $0.type == type.name }),
        own.delivered >= Double(rule.minSamples)
      else { continue }
      let rate = (own.tapped + 10 * common) / (own.delivered + 10)
      var shift = 0
      var step = 2.0
      while shift < rule.maxShift, rate >= common * step || rate * step <= common {
        shift += 1
        step *= 2
      }
      let shifted = rate > common ? type.priority - shift : type.priority + shift
      priorities[index] = Int32(truncatingIfNeeded: max(1, shifted))
    }
    return priorities
  }
}
