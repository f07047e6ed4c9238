import CarillonModel
import CarillonPostgres
import IntegrationSupport
import TestSupport

extension ReportFleet {
  /// Writes the fleet's rows, as the server would have in all those days.
  func insert(of tenant: TenantID, into database: MigratedDatabase) async throws {
    try await withLoop { loop in
      let connection = try await PostgresConnection.connect(database.superuserConninfo, on: loop)
      defer { connection.close() }
      let tables: [(String, [[String]])] = [
        (
          "devices (tenant_id, device_id, cohort, created_at, updated_at, superseded_at, superseded_by)",
          devices.map(Self.device)
        ),
        (
          "device_changes (tenant_id, device_id, change_number, changed_at, app_version, authorization_status, fatigue, changes)",
          devices.flatMap(Self.changes)
        ),
        (
          "deliveries (tenant_id, device_id, notification_id, wished_at, request_id, type, due_at, outcome, reason, noted_at, settled_at, tapped_at, dismissed_at, unmet_needs, repeats)",
          devices.flatMap(Self.deliveries)
        ),
        (
          "device_priming (tenant_id, device_id, first_primed_at, dialog_shown_at, system_answer, system_answered_at)",
          devices.filter { $0.firstPrimed != nil || $0.dialogShown != nil || $0.answer != nil }.map(
            Self.priming)
        ),
        (
          "priming_steps (tenant_id, device_id, step_number, at, step, reason)",
          devices.flatMap { device in
            device.steps.enumerated().map {
              [Self.text(device.id), "\($0)", Self.time($1.at), Self.text($1.step), "''"]
            }
          }
        ),
        (
          "device_events (tenant_id, device_id, event_id, kind, occurred_at, received_at)",
          devices.flatMap { device in
            device.events.enumerated().map {
              [Self.text(device.id), "'e\($0)'", Self.text($1.kind), Self.time($1.at), Self.time($1.at)]
            }
          }
        ),
        (
          "device_evictions (tenant_id, device_id, day, type, evicted)",
          devices.flatMap { device in
            device.evictions.map { [Self.text(device.id), "'\($0.day)'", Self.text($0.type), "\($0.count)"] }
          }
        ),
      ]
      for (table, rows) in tables {
        for start in stride(from: 0, to: rows.count, by: 2_000) {
          let values = rows[start..<min(start + 2_000, rows.count)].map {
            "('\(tenant.text)',\($0.joined(separator: ",")))"
          }
          _ = try await connection.run(
            sql: "INSERT INTO carillon.\(table) VALUES \(values.joined(separator: ","))")
        }
      }
    }
  }

  private static func device(_ device: FleetDevice) -> [String] {
    [
      text(device.id), text(device.cohort), time(device.createdAt), time(device.createdAt),
      time(device.supersededAt), text(device.supersededAt == nil ? nil : Reports.device(1)),
    ]
  }

  private static func changes(_ device: FleetDevice) -> [[String]] {
    device.changes.enumerated().map { index, change in
      let members = change.members.map { path, values in
        let words = [values.0, values.1].map { $0.map { "\"\($0)\"" } ?? "null" }
        return "\"\(path)\":[\(words.joined(separator: ","))]"
      }
      return [
        text(device.id), "\(index + 1)", time(change.at), text(change.appVersion), text(change.status),
        text(change.fatigue), "'{\(members.joined(separator: ","))}'",
      ]
    }
  }

  private static func deliveries(_ device: FleetDevice) -> [[String]] {
    device.deliveries.map { delivery in
      [
        text(device.id), text(delivery.id), time(delivery.at), text(delivery.id), text(delivery.type),
        time(delivery.at), text(delivery.outcome), text(delivery.reason), time(delivery.at),
        delivery.outcome == "open" ? "NULL" : time(delivery.at),
        delivery.isTapped ? time(delivery.at) : "NULL",
        delivery.isDismissed ? time(delivery.at) : "NULL", "'{\(delivery.unmet.joined(separator: ","))}'",
        "false",
      ]
    }
  }

  private static func priming(_ device: FleetDevice) -> [String] {
    [
      text(device.id), time(device.firstPrimed), time(device.dialogShown), text(device.answer?.word),
      time(device.answer?.at),
    ]
  }

  private static func text(_ text: String?) -> String { text.map { "'\($0)'" } ?? "NULL" }
  private static func time(_ time: Instant?) -> String { time.map { "'\($0)'" } ?? "NULL" }
}
