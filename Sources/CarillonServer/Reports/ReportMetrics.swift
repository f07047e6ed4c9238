import CarillonModel
import CarillonTelemetry
import Synchronization

/// How the counting of reports goes, and how far it is behind.
final class ReportMetrics: Sendable {
  private let days: Counter
  private let rows: Counter
  private let failures: Counter
  private let waiting = Waiting()

  /// - Parameter now: asked when the metrics are read.
  init(_ registry: MetricRegistry, now: @escaping @Sendable () -> Instant) {
    days = registry.counter(
      "carillon_report_rollup_days_total", help: "Days of tenants that were counted and published.")
    rows = registry.counter(
      "carillon_report_rollup_rows_total", help: "Rows of counters that these days came to.")
    failures = registry.counter(
      "carillon_report_rollup_failures_total", help: "Rounds of counting that failed; they are tried again.")
    registry.reading(
      "carillon_report_rollup_lag_seconds",
      help: "How long the tenant that has waited longest for the counting of its days waits; 0: none does."
    ) { [waiting] in
      waiting.since.map { max(0, Double(now().milliseconds - $0.milliseconds) / 1000) } ?? 0
    }
  }

  /// A tenant has days to be counted.
  func noteWaiting(_ tenant: TenantID, now: Instant) { waiting.begin(tenant, now) }

  /// Nobody waits for this server to count the tenant's days: they are counted, or others do it.
  func note(_ tenant: TenantID, days: Int, rows: Int) {
    waiting.end(tenant)
    self.days.add(UInt64(days))
    self.rows.add(UInt64(rows))
  }

  /// The tenant goes on waiting.
  func noteFailure() { failures.add() }

  private final class Waiting: Sendable {
    private let tenants = Mutex<[TenantID: Instant]>([:])

    func begin(_ tenant: TenantID, _ now: Instant) {
      tenants.withLock { tenants in
        guard tenants[tenant] == nil, tenants.count < ReportRounds.mostTenants else { return }
        tenants[tenant] = now
      }
    }

    func end(_ tenant: TenantID) { tenants.withLock { _ = $0.removeValue(forKey: tenant) } }

    var since: Instant? { tenants.withLock { $0.values.min() } }
  }
}
