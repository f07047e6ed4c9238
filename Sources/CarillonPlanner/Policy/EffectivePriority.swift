import CarillonModel

/// How the notifications of a type were received on this device (or by its cohort), older ones weighing less.
public struct TypeEngagement: Hashable, Sendable {
  /// Each type has one at most.
  public var type: String
  public var delivered: Double
  public var tapped: Double

  public init(type: String, delivered: Double, tapped: Double) {
    self.type = type
    self.delivered = delivered
    self.tapped = tapped
  }
}

extension CompiledPolicy.Storage {
  /// What a type's tap rate does to its priority.
  enum Adaptation: Equatable {
    /// The type does not adapt, or the policy does not.
    case none
    /// Priority 0 is the user's own.
    case userSet
    case tooFewSamples(delivered: Double, wanted: Int)
    /// - Parameters:
    ///   - rate: the type's, smoothed.
    ///   - common: that of all types together.
    ///   - priority: after the shift.
    case shifted(rate: Double, common: Double, priority: Int)
  }

  /// The largest number a priority may have.
  private static let leastPriority = 99

  /// A type whose smoothed tap rate is twice that of all types together gains one step, four times two, and so on
  /// up to `maxShift`; half of it loses one. Smoothing is by a Beta prior worth ten deliveries at the common
  /// rate. What the user set (priority 0) neither moves nor is reached.
  func adaptation(ofType index: Int, _ engagement: [TypeEngagement]) -> Adaptation {
    let type = types[index]
    guard let rule = policy.adaptivePriority, type.adaptive else { return .none }
    guard type.priority > 0 else { return .userSet }
    let own = engagement.first { $0.type == type.name }
    guard let own, own.delivered >= Double(rule.minSamples) else {
      return .tooFewSamples(delivered: own?.delivered ?? 0, wanted: rule.minSamples)
    }
    let common = (Self.sum(engagement.map(\.tapped)) + 1) / (Self.sum(engagement.map(\.delivered)) + 2)
    let rate = (own.tapped + 10 * common) / (own.delivered + 10)
    var shift = 0
    var step = 2.0
    while shift < rule.maxShift, rate >= common * step || rate * step <= common {
      shift += 1
      step *= 2
    }
    let shifted = rate > common ? type.priority - shift : type.priority + shift
    return .shifted(rate: rate, common: common, priority: min(max(1, shifted), Self.leastPriority))
  }

  /// In one order, whatever the order they come in: sums of fractions hang on it.
  private static func sum(_ values: [Double]) -> Double { values.sorted().reduce(0, +) }

  /// Whether any of the effective priorities is not its type's own.
  func adapts(_ priorities: [Int32]) -> Bool {
    rules.indices.contains { rules[$0].priority != priorities[$0] }
  }

  /// The priority of each type after adaptation, by type index.
  func effectivePriorities(_ engagement: [TypeEngagement]) -> [Int32] {
    guard policy.adaptivePriority != nil, !engagement.isEmpty else { return rules.map(\.priority) }
    return rules.indices.map { index in
      guard case .shifted(_, _, let priority) = adaptation(ofType: index, engagement) else {
        return rules[index].priority
      }
      return Int32(truncatingIfNeeded: priority)
    }
  }
}
