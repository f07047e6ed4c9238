import CarillonJSON
import CarillonModel
import IntegrationSupport
import TestSupport
import Testing

/// A tenant that has a row in every table that one can have rows in, made by the server where it makes them.
struct FullTenant {
  let installation: Installation
  let tenant: TestTenant
  /// The first has a user, and had another one before; the second has none.
  static let devices = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"]

  static let start = Instant(milliseconds: 1_796_000_000_000)
  /// When all of it has happened.
  static let end = start.adding(seconds: 4 * 3_600)

  static func make(_ name: String, in installation: Installation) async throws -> FullTenant {
    try await TestServer.with(now: start, database: installation.database) { server in
      let tenant = try await server.makeTenant(name)
      let client = server.client(tenant)
      try #require(try await client.send("PUT", "/v1/policy", body: #"{"slots":10}"#).status == 200)
      var held: [String: String] = [:]
      for round in 0..<3 {
        for (index, device) in devices.enumerated() {
          let answer = try await client.send(
            "POST", "/v1/devices/\(device)/sync", body: report(round, index, held[device] ?? "[]"))
          try #require(answer.status == 200, "\(answer)")
          if round == 0 {
            let adds = answer.json["diff"]?["add"]?.array ?? []
            try #require(adds.count == 10)
            held[device] =
              "["
              + adds.map {
                "{\"id\":\"\($0["id"]?.string ?? "")\",\"revision\":\"\($0["revision"]?.string ?? "")\"}"
              }
              .joined(separator: ",") + "]"
            let primed = try await client.send(
              "POST", "/v1/devices/\(device)/priming", body: #"{"action":"valueAction"}"#)
            try #require(primed.status == 200, "\(primed)")
          }
        }
        server.clock.advance(seconds: 2 * 3_600)
      }
      for row in [
        // A day that stands: a younger one the server counts again, and finds other devices.
        "report_days (tenant_id, day, rolled_up_at, age) VALUES ('\(tenant.id.text)', '2026-11-28', '2026-12-06', 8)",
        "report_counts (tenant_id, counted, day, type, cohort, counts) VALUES ('\(tenant.id.text)', 'permission', '2026-11-28', '', 'w1', '{3,0,2}')",
      ] {
        _ = try await installation.database.column(
          "INSERT INTO carillon.\(row) ON CONFLICT DO NOTHING RETURNING ''")
      }
      return FullTenant(installation: installation, tenant: tenant)
    }
  }

  /// Notifications, each with a kilobyte of text, in the queues of those that ``addDevices(_:)`` has made.
  func addNotifications(_ count: Int, toEachOf devices: Int) async throws {
    _ = try await installation.database.column(
      """
      INSERT INTO carillon.notifications (
        tenant_id, device_id, notification_id, head, content, accepted_at, put_version)
      SELECT '\(tenant.id.text)', ('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'n' || k,
        (SELECT head FROM carillon.notifications WHERE tenant_id = '\(tenant.id.text)' LIMIT 1),
        convert_to('{"title":"' || repeat(md5(n::text || k), 32) || '"}', 'UTF8'), '2026-11-28', 1
      FROM generate_series(1, \(devices)) AS n, generate_series(1, \(count)) AS k
      RETURNING ''
      """)
  }

  /// More devices with an inbox each than one part of an export.
  func addDevices(_ count: Int) async throws {
    let id = "('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid"
    for row in [
      "devices (tenant_id, device_id, user_id, created_at, updated_at) SELECT t, \(id), 'user ' || n % 150, '2026-11-28', '2026-11-28'",
      "device_syncs (tenant_id, device_id, created_at, row_version, plan_version) SELECT t, \(id), '2026-11-28', 1, 0",
      """
      inbox_items (tenant_id, inbox_id, notification_id, wished_at, at, type, content, outcome, origin)
      SELECT t, carillon.inbox_id(t, \(id), CASE WHEN n % 2 = 0 THEN 'user ' || n % 150 END), 'n' || n,
        '2026-11-28', '2026-11-28', 'habit', '{"title":"x"}', 'delivered', \(id)
      """,
    ] {
      _ = try await installation.database.column(
        "INSERT INTO carillon.\(row) FROM generate_series(1, \(count)) AS n, (SELECT '\(tenant.id.text)'::uuid AS t) AS x RETURNING ''"
      )
    }
  }

  private static func report(_ round: Int, _ index: Int, _ held: String) -> String {
    let user = index == 0 ? ",\"userId\":\"\(round == 2 ? "u2" : "u1")\"" : ""
    let puts = (0..<20).map { number in
      """
      {"id":"habit.\(number)","content":{"title":"T","body":"B","sound":"default"},
       "trigger":{"kind":"instant","at":"\(start.adding(seconds: Int64(number + 1) * 3_600))"}}
      """
    }
    let news =
      round == 0
      ? ",\"put\":[\(puts.joined(separator: ","))]"
      : round == 1
        ? ",\"delivered\":[\"habit.0\"],\"events\":[{\"id\":\"e\(index)\",\"kind\":\"tapped\",\"notification\":\"habit.0\",\"at\":\"\(start.adding(seconds: 3_700))\"}]"
        : ""
    return """
      {"sequence":\(round + 1),"device":{"platform":"iOS","timeZone":"Europe/Istanbul","bundleId":"com.example.app",
        "appVersion":"1.\(round)","deviceKey":"key \(index)","cohort":"w1"\(user),
        "push":{"token":"0\(index)","environment":"production"}},
       "authorizationStatus":"authorized",
       "settings":{"alert":"enabled","sound":"\(round == 2 ? "disabled" : "enabled")","badge":"enabled",
         "lockScreen":"enabled","notificationCenter":"enabled"},
       "pending":\(held)\(news)}
      """
  }
}

extension Installation {
  /// Every table that holds tenants' rows.
  func tenantTables() async throws -> [String] {
    try await database.column(
      """
      SELECT c.relname::text FROM pg_class AS c
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
      WHERE c.relnamespace = 'carillon'::regnamespace AND c.relkind IN ('r', 'p')
      ORDER BY c.relname
      """
    ).compactMap(\.self)
  }

  /// How many rows of each table are a tenant's, and how many name it anywhere.
  func rows(of tenant: TenantID) async throws -> [String: Int] {
    var rows: [String: Int] = [:]
    for table in try await tenantTables() {
      let counts = try await database.column(
        "SELECT count(*)::text FROM carillon.\(table) AS t WHERE tenant_id = '\(tenant.text)' OR t::text LIKE '%\(tenant.text)%'"
      )
      rows[table] = counts[0].flatMap { Int($0) } ?? 0
    }
    return rows
  }
}
