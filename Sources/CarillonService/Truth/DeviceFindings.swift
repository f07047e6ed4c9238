import CarillonModel
import CarillonPlanner
import CarillonStore

/// What one stored sync or plan showed, for whoever counts.
public struct DeviceFindings: Hashable, Sendable {
  /// What the device held and should not, or should have held and did not.
  public var drift: DriftCounts
  /// How many occurrences were found to have had each outcome; what is open is not among them.
  public var outcomes: [DeliveryOutcome: Int]
  /// Needs that requests of a new plan have and the settings do not meet.
  public var unmetNeeds: Set<Need>
  public var fatigue: DeviceStateChange.Fatigue?

  init(_ outcome: DevicePlanner.Outcome) {
    drift = outcome.look.drift
    outcomes = [:]
    for due in outcome.cameDue + outcome.look.settled where due.outcome != .open {
      outcomes[due.outcome, default: 0] += 1
    }
    unmetNeeds = outcome.isNew ? Set(outcome.result.plan.held.flatMap(\.unmetNeeds)) : []
    fatigue = outcome.look.fatigue
  }
}
