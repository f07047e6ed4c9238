import CarillonTelemetry

/// What the server counts, for Prometheus. Labels name kinds only, never tenants or devices.
final class ServerMetrics: Sendable {
  let registry = MetricRegistry()
  let devices: DeviceMetrics
  let reports: ReportMetrics
  let retention: RetentionMetrics
  private let responses: [Counter]
  private let seconds: Histogram
  private let rateLimited: [String: Counter]

  init(clock: ServerClock) {
    let registry = registry
    devices = DeviceMetrics(registry)
    reports = ReportMetrics(registry, now: clock.now)
    retention = RetentionMetrics(registry)
    responses = (1...5).map { hundred in
      registry.counter(
        "carillon_http_responses_total", help: "Answers of the public listener by class of status.",
        labels: ["status": "\(hundred)xx"])
    }
    rateLimited = Dictionary(
      uniqueKeysWithValues: RateVerdict.names.map { name in
        (
          name,
          registry.counter(
            "carillon_rate_limited_total", help: "Requests refused with 429, by the bucket that was empty.",
            labels: ["bucket": name])
        )
      })
    seconds = registry.histogram(
      "carillon_http_request_seconds", help: "Time from a whole request to its answer.",
      bounds: Histogram.requestSeconds)
  }

  func noteRateLimited(_ bucket: String) { rateLimited[bucket]?.add() }

  func note(status: Int, nanoseconds: UInt64) {
    responses[min(4, max(0, status / 100 - 1))].add()
    seconds.observe(Double(nanoseconds) / 1e9)
  }
}
