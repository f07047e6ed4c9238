import CarillonAPI
import CarillonModel

/// A column of the numbers below a chart.
struct DayColumn {
  var name: String
  var value: (ReportCounts) -> Int
}

extension Route.ReportKind {
  var dayColumns: [DayColumn] {
    switch self {
    case .evictions:
      [DayColumn(name: "left waiting") { $0[.evicted] }, DayColumn(name: "devices") { $0[.evictedDevices] }]
        + [DayColumn(name: "lost") { $0[.lost] }, DayColumn(name: "lost to a limit") { $0[.lostToLimit] }]
    case .authorization:
      Self.permission([
        .devices, .authorized, .provisional, .ephemeral, .notDetermined, .denied, .primed, .asked, .granted,
        .kept,
      ])
    case .priming:
      Self.permission([
        .primingShown, .primingAccepted, .primingPostponed, .dialogShown, .answeredGranted, .answeredDenied,
      ])
    case .fatigue:
      [
        DayColumn(name: "devices") { $0[.devices as FatigueMeasure] },
        DayColumn(name: "degraded") { $0[.degraded] },
        DayColumn(name: "denied") { $0[.denied as FatigueMeasure] }, DayColumn(name: "left") { $0[.left] },
        DayColumn(name: "warned") { $0.warned },
      ]
    case .delivery:
      [DayColumn(name: "due") { $0.due }]
        + DeliveryOutcome.allCases.map { outcome in
          DayColumn(name: outcome.rawValue) { $0[NotificationMeasure(outcome)] }
        } + [DayColumn(name: "unmet") { $0[.unmet] }]
    case .engagement:
      [DayColumn(name: "delivered") { $0.noticed }, DayColumn(name: "tapped") { $0[.tapped] }]
        + [DayColumn(name: "dismissed") { $0[.dismissed] }]
    }
  }

  private static func permission(_ measures: [PermissionMeasure]) -> [DayColumn] {
    measures.map { measure in DayColumn(name: "\(measure)") { $0[measure] } }
  }
}
