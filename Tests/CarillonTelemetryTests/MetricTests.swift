import CarillonTelemetry
import Testing

@Suite struct MetricTests {
  @Test func isWrittenInPrometheusFormat() {
    let registry = MetricRegistry()
    registry.counter("requests_total", help: "Requests.", labels: ["route": "sync", "status": "200"]).add(3)
    registry.counter("requests_total", help: "Requests.", labels: ["route": "a\"\\\nb", "status": "404"])
      .add()
    registry.gauge("in_flight", help: "Requests at work.").set(-2)
    registry.reading("pool_connections", help: "A \\ line\nmore.") { 1.5 }
    let seconds = registry.histogram("wait_seconds", help: "Waiting.", bounds: [0.1, 1])
    for value in [0.05, 0.1, 0.5, 7] { seconds.observe(value) }
    #expect(
      registry.text == #"""
        # HELP in_flight Requests at work.
        # TYPE in_flight gauge
        in_flight -2
        # HELP pool_connections A \\ line\nmore.
        # TYPE pool_connections gauge
        pool_connections 1.5
        # HELP requests_total Requests.
        # TYPE requests_total counter
        requests_total{route="sync",status="200"} 3
        requests_total{route="a\"\\\nb",status="404"} 1
        # HELP wait_seconds Waiting.
        # TYPE wait_seconds histogram
        wait_seconds_bucket{le="0.1"} 2
        wait_seconds_bucket{le="1"} 3
        wait_seconds_bucket{le="+Inf"} 4
        wait_seconds_sum 7.65
        wait_seconds_count 4

        """#)
  }

  @Test func theSameNameIsTheSameInstrument() {
    let registry = MetricRegistry()
    registry.counter("a_total", help: "A.").add()
    registry.counter("a_total", help: "A.").add()
    #expect(registry.counter("a_total", help: "A.").value == 2)
    #expect(registry.counter("a_total", help: "A.", labels: ["x": "1"]).value == 0)
  }

  @Test func nothingIsLostBetweenThreads() async {
    let registry = MetricRegistry()
    let counter = registry.counter("a_total", help: "A.")
    let gauge = registry.gauge("b", help: "B.")
    let histogram = registry.histogram("c_seconds", help: "C.", bounds: [1])
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for number in 0..<1_000 {
            counter.add()
            gauge.add(number.isMultiple(of: 2) ? 1 : -1)
            histogram.observe(Double(number % 4))
          }
        }
      }
    }
    #expect(counter.value == 8_000)
    #expect(gauge.value == 0)
    #expect(histogram.counts == [4_000, 4_000])
    #expect(histogram.sum == 12_000)
  }
}
