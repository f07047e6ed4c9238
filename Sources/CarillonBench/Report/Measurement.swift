/// One figure over several rounds.
struct Measurement {
  var name: String
  var unit: String
  var values: [Double]

  var minimum: Double { values.min() ?? 0 }
  var maximum: Double { values.max() ?? 0 }

  var median: Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Round by round: the ratio of two figures taken in the same minute.
  static func ratio(_ name: String, _ over: Measurement, _ under: Measurement) -> Measurement {
    Measurement(
      name: name, unit: "ratio", values: zip(over.values, under.values).map { $1 == 0 ? 0 : $0 / $1 })
  }
}
