import Foundation

/// The counters of a large fleet over a long time, without its devices.
///
/// A sample of devices lives one day, in which every type comes due in every cohort, on every app version and for every
/// week of installation; that day is counted by the real roll-up. The other days are that day's rows again, each number
/// times a factor of its own day, so that there are as many rows of the same shape as the roll-up would have written.
struct ReportsFleet {
  private static let types = [
    "habit", "entry", "medication", "day1", "depletion", "inactivity", "news", "social",
  ]
  private static let cohorts = 52
  private static let appVersions = 12

  let settings: ReportsBenchmark.Settings
  let server: BenchServer

  /// The days that reports are asked for, as text.
  var period: (from: String, to: String) { (day(settings.days - 1), day(0)) }

  private func day(_ before: Int) -> String {
    let instant = Date().addingTimeInterval(-Double(before + 1) * 86_400)
    return String(instant.formatted(.iso8601).prefix(10))
  }

  func fill(_ progress: (String) -> Void) throws -> [Measurement] {
    let last = day(0)
    progress("a day of \(settings.sample) devices, counted by the roll-up")
    for statement in Self.devices(settings.sample, on: last, seed: settings.seed) {
      try server.sql(statement)
    }
    try server.sql("ANALYZE")
    let clock = ContinuousClock()
    let took = try clock.measure {
      _ = try server.run(["report", "rollup", "bench", "--from", last, "--to", last, "-o", "json"])
    }
    let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
    progress("\(settings.days - 1) more days like it, of \(settings.devices) devices")
    for statement in Self.days(
      settings.days, last: last, factor: Double(settings.devices) / Double(settings.sample),
      seed: settings.seed)
    {
      try server.sql(statement)
    }
    try server.sql("VACUUM ANALYZE carillon.report_counts")
    let rows = try server.sql("SELECT count(*) FROM carillon.report_counts")
    return [
      Measurement(name: "roll-up of a day", unit: "devices/s", values: [Double(settings.sample) / seconds]),
      Measurement(
        name: "rows of counters", unit: "count",
        values: [Double(rows) ?? 0]),
    ]
  }

  /// Each device has a cohort, a version and a week by its number, answers to the question for permission, eight types
  /// that come due and some that had no slot.
  private static func devices(_ sample: Int, on day: String, seed: Int) -> [String] {
    let tenant = "(SELECT tenant_id FROM carillon.tenants WHERE name = 'bench')"
    let id = "md5('\(seed) ' || n)::uuid"
    let all = "generate_series(0, \(sample - 1)) AS n"
    let names = types.map { "'\($0)'" }.joined(separator: ",")
    // Chance that the seed repeats: the hash of what it is for.
    func percent(_ what: String) -> String { "(hashtext('\(seed) \(what) ' || n) & 1023) * 100 / 1024" }
    return [
      """
      INSERT INTO carillon.devices (tenant_id, device_id, cohort, app_version, created_at, updated_at)
      SELECT \(tenant), \(id), CASE WHEN n % \(cohorts + 1) > 0 THEN 'week ' || n % \(cohorts + 1) END,
        '3.' || n % \(appVersions) || '.0', DATE '\(day)' - n % 371, DATE '\(day)'
      FROM \(all)
      """,
      """
      INSERT INTO carillon.device_changes (
        tenant_id, device_id, change_number, changed_at, app_version, authorization_status, fatigue, changes
      )
      SELECT \(tenant), \(id), k, DATE '\(day)' - n % 371 + interval '1 hour' * k, '3.' || n % \(appVersions) || '.0',
        CASE WHEN k = 1 THEN 'notDetermined' WHEN \(percent("answer")) < 65 THEN 'authorized' ELSE 'denied' END,
        CASE WHEN k = 2 AND \(percent("fatigue")) < 5 THEN 'degraded' END,
        CASE k
          WHEN 1 THEN jsonb_build_object('authorizationStatus', '[null,"notDetermined"]'::jsonb)
          ELSE jsonb_build_object('authorizationStatus', '["notDetermined","authorized"]'::jsonb)
        END
      FROM \(all), generate_series(1, 2) AS k
      """,
      """
      INSERT INTO carillon.device_priming (
        tenant_id, device_id, first_primed_at, dialog_shown_at, system_answer, system_answered_at
      )
      SELECT \(tenant), \(id), DATE '\(day)' - n % 371, DATE '\(day)' - n % 371 + interval '1 hour',
        CASE WHEN \(percent("answer")) < 65 THEN 'granted' ELSE 'denied' END,
        CASE WHEN n % 7 = 0 THEN DATE '\(day)' + interval '9 hours' ELSE DATE '\(day)' - n % 371 + interval '2 hours' END
      FROM \(all)
      """,
      """
      INSERT INTO carillon.deliveries (
        tenant_id, device_id, notification_id, wished_at, request_id, type, due_at, outcome, reason, noted_at,
        settled_at, tapped_at, unmet_needs, repeats
      )
      SELECT \(tenant), \(id), t, DATE '\(day)' + interval '9 hours', t, t, DATE '\(day)' + interval '9 hours',
        CASE WHEN \(percent("outcome")) < 80 THEN 'delivered' ELSE 'missed' END,
        CASE WHEN \(percent("outcome")) >= 80 THEN 'noSlot' END, DATE '\(day)', DATE '\(day)',
        CASE WHEN \(percent("tap")) < 20 THEN DATE '\(day)' + interval '10 hours' END,
        CASE WHEN \(percent("need")) < 10 THEN ARRAY['sound'] ELSE '{}' END, false
      FROM \(all), unnest(ARRAY[\(names)]) AS t
      """,
      """
      INSERT INTO carillon.device_evictions (tenant_id, device_id, day, type, evicted)
      SELECT \(tenant), \(id), DATE '\(day)', t, 1 + n % 9
      FROM \(all), unnest(ARRAY[\(names)]) AS t
      WHERE \(percent("eviction")) < 40
      """,
    ]
  }

  private static func days(_ days: Int, last: String, factor: Double, seed: Int) -> [String] {
    // Numbers up and down with the days, so that no day's are those of another.
    let scale = "\(factor) * (1 + 0.2 * sin(\(seed) + d))"
    return [
      """
      INSERT INTO carillon.report_counts (tenant_id, counted, day, type, cohort, counts)
      SELECT c.tenant_id, c.counted, c.day - d, c.type, c.cohort,
        (
          SELECT array_agg((v.value * \(scale))::bigint ORDER BY v.place)
          FROM unnest(c.counts) WITH ORDINALITY AS v (value, place)
        )
      FROM carillon.report_counts AS c, generate_series(1, \(days - 1)) AS d
      WHERE c.day = DATE '\(last)'
      """,
      """
      INSERT INTO carillon.report_days (tenant_id, day, rolled_up_at, age)
      SELECT r.tenant_id, r.day - d, r.rolled_up_at, 8
      FROM carillon.report_days AS r, generate_series(1, \(days - 1)) AS d
      WHERE r.day = DATE '\(last)'
      ON CONFLICT (tenant_id, day) DO UPDATE SET rolled_up_at = excluded.rolled_up_at, age = 8
      """,
    ]
  }
}
