import CarillonModel
import CarillonService
import CarillonStore
import CarillonTelemetry

/// What syncs and plans show of devices.
final class DeviceMetrics: Sendable {
  private let dropped: Counter
  private let unplanned: Counter
  private let altered: Counter
  private let outcomes: [DeliveryOutcome: Counter]
  private let unmet: [Need: Counter]
  private let degraded: Counter
  private let recovered: Counter

  init(_ registry: MetricRegistry) {
    func drift(_ kind: String) -> Counter {
      registry.counter(
        "carillon_device_drift_total",
        help: "Requests that a device lost, held without a plan, or held otherwise than planned.",
        labels: ["kind": kind])
    }
    dropped = drift("dropped")
    unplanned = drift("unplanned")
    altered = drift("altered")
    outcomes = Dictionary(
      uniqueKeysWithValues: DeliveryOutcome.allCases.filter { $0 != .open }.map { outcome in
        (
          outcome,
          registry.counter(
            "carillon_deliveries_total", help: "Occurrences of notifications by what became of them.",
            labels: ["outcome": outcome.rawValue])
        )
      })
    unmet = Dictionary(
      uniqueKeysWithValues: Need.allCases.map { need in
        (
          need,
          registry.counter(
            "carillon_plans_with_unmet_needs_total",
            help: "New plans that hold a request whose need the device's settings do not meet.",
            labels: ["need": need.rawValue])
        )
      })
    func fatigue(_ kind: String) -> Counter {
      registry.counter(
        "carillon_device_fatigue_total",
        help: "Devices that lost both sound and lock screen, or got one of them back.", labels: ["kind": kind]
      )
    }
    degraded = fatigue("degraded")
    recovered = fatigue("recovered")
  }

  func note(_ findings: DeviceFindings) {
    dropped.add(UInt64(findings.drift.dropped))
    unplanned.add(UInt64(findings.drift.unplanned))
    altered.add(UInt64(findings.drift.altered))
    for (outcome, count) in findings.outcomes { outcomes[outcome]?.add(UInt64(count)) }
    for need in findings.unmetNeeds { unmet[need]?.add() }
    switch findings.fatigue {
    case .degraded: degraded.add()
    case .recovered: recovered.add()
    case nil: break
    }
  }
}
