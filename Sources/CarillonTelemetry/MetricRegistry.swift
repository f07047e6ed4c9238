import Synchronization

/// The instruments of a process and their text in Prometheus' exposition format 0.0.4.
///
/// An instrument is asked for once, at start, and kept by whoever counts; asking again for the same name and
/// labels gives the same one. Labels name kinds (a route, a status), never tenants, devices or ids: what can grow
/// without bound has no place in them.
public final class MetricRegistry: Sendable {
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"
  /// Of all families together; more is a mistake in labels.
  public static let maxSeries = 2_000

  private enum Instrument: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    case reading(@Sendable () -> Double)
    case histogram(Histogram)

    var type: String {
      switch self {
      case .counter: "counter"
      case .gauge, .reading: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  private struct Family: Sendable {
    var help: String
    var type: String
    var series: [(labels: [(name: String, value: String)], instrument: Instrument)] = []
  }

  private struct State: Sendable {
    var families: [String: Family] = [:]
    var seriesCount = 0
  }

  private let state = Mutex(State())

  public init() {}

  /// - Parameter name: ends in `_total`.
  public func counter(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:]
  ) -> Counter {
    guard
      case .counter(let counter) = instrument(name, help, labels, { .counter(Counter()) })
    else { fatalError("\(name) is no counter") }
    return counter
  }

  public func gauge(_ name: String, help: String, labels: KeyValuePairs<String, String> = [:]) -> Gauge {
    guard case .gauge(let gauge) = instrument(name, help, labels, { .gauge(Gauge()) }) else {
      fatalError("\(name) is no gauge")
    }
    return gauge
  }

  /// A gauge that is read when the text is made.
  public func reading(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:],
    _ read: @escaping @Sendable () -> Double
  ) {
    _ = instrument(name, help, labels) { .reading(read) }
  }

  /// - Parameter name: ends in the unit, e.g. `_seconds`.
  public func histogram(
    _ name: String, help: String, bounds: [Double] = Histogram.requestSeconds,
    labels: KeyValuePairs<String, String> = [:]
  ) -> Histogram {
    guard
      case .histogram(let histogram) = instrument(
        name, help, labels, { .histogram(Histogram(bounds: bounds)) })
    else { fatalError("\(name) is no histogram") }
    return histogram
  }

  private func instrument(
    _ name: String, _ help: String, _ labels: KeyValuePairs<String, String>, _ make: () -> Instrument
  ) -> Instrument {
    precondition(Self.isName(name), "\(name) is no metric name")
    let labels = labels.map { (name: $0.key, value: $0.value) }
    precondition(labels.allSatisfy { Self.isName($0.name) }, "\(name) has a bad label name")
    return state.withLock { state in
      var family = state.families[name] ?? Family(help: help, type: "")
      if let known = family.series.first(where: { $0.labels.elementsEqual(labels, by: ==) }) {
        return known.instrument
      }
      let instrument = make()
      precondition(family.series.isEmpty || family.type == instrument.type, "\(name) has two types")
      state.seriesCount += 1
      precondition(state.seriesCount <= Self.maxSeries, "too many label values at \(name)")
      family.type = instrument.type
      family.series.append((labels, instrument))
      state.families[name] = family
      return instrument
    }
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
    }
  }

  /// All instruments, families by name, in Prometheus' text format.
  public var text: String {
    let families = state.withLock { $0.families }
    var text = ""
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      text += "# HELP \(name) \(Self.escaped(family.help, quotes: false))\n# TYPE \(name) \(family.type)\n"
      for (labels, instrument) in family.series {
        switch instrument {
        case .counter(let counter): text += Self.sample(name, labels, "\(counter.value)")
        case .gauge(let gauge): text += Self.sample(name, labels, "\(gauge.value)")
        case .reading(let read): text += Self.sample(name, labels, Self.number(read()))
        case .histogram(let histogram): text += Self.samples(name, labels, histogram)
        }
      }
    }
    return text
  }

  private static func samples(
    _ name: String, _ labels: [(name: String, value: String)], _ histogram: Histogram
  ) -> String {
    var text = ""
    var cumulated: UInt64 = 0
    for (bound, count) in zip(histogram.bounds.map(number) + ["+Inf"], histogram.counts) {
      cumulated += count
      text += sample("\(name)_bucket", labels + [("le", bound)], "\(cumulated)")
    }
    text += sample("\(name)_sum", labels, number(histogram.sum))
    return text + sample("\(name)_count", labels, "\(cumulated)")
  }

  private static func sample(
    _ name: String, _ labels: [(name: String, value: String)], _ value: String
  ) -> String {
    let list = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
    return labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
  }

  private static func number(_ value: Double) -> String {
    switch value {
    case .infinity: "+Inf"
    case -.infinity: "-Inf"
    case _ where value.isNaN: "NaN"
    case _ where value == value.rounded() && value.magnitude < 1e15: "\(Int(value))"
    default: "\(value)"
    }
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    text.reduce(into: "") { out, character in
      switch character {
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\"" where quotes: out += "\\\""
      default: out.append(character)
      }
    }
  }
}
