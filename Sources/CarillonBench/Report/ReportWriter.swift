/// Prints measurements as a table for people or as JSON for programs.
enum ReportWriter {
  enum Format: String, CaseIterable { case table, json }

  static func text(_ measurements: [Measurement], as format: Format) -> String {
    switch format {
    case .table: table(measurements)
    case .json: json(measurements)
    }
  }

  private static func table(_ measurements: [Measurement]) -> String {
    let rows =
      [["what", "min", "median", "max", "unit"]]
      + measurements.map { [$0.name, number($0.minimum), number($0.median), number($0.maximum), $0.unit] }
    let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, text in
        let padding = String(repeating: " ", count: widths[column] - text.count)
        return (1...3).contains(column) ? padding + text : text + padding
      }.joined(separator: "  ")
    }.joined(separator: "\n") + "\n"
  }

  private static func json(_ measurements: [Measurement]) -> String {
    let items = measurements.map { measurement in
      let values = measurement.values.map(number).joined(separator: ",")
      return """
        {"name":"\(measurement.name)","unit":"\(measurement.unit)","min":\(number(measurement.minimum)),\
        "median":\(number(measurement.median)),"max":\(number(measurement.maximum)),"values":[\(values)]}
        """
    }
    return "[" + items.joined(separator: ",\n ") + "]\n"
  }

  /// Three significant figures below a hundred, whole above.
  private static func number(_ value: Double) -> String {
    if value >= 100 { return "\(Int(value.rounded()))" }
    let scaled = (value * 1000).rounded() / 1000
    return "\(scaled)"
  }
}
