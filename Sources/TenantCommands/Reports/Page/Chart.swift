import CarillonModel

/// One line, or one layer of a stack.
struct ChartSeries {
  var name: String
  /// One for each day.
  var values: [Double]
  /// Of ``PageStyle``.
  var style: Int

  init(_ name: String, _ values: [Double], style: Int) {
    self.name = name
    self.values = values
    self.style = style
  }

  var sum: Double { values.reduce(0, +) }
}

/// A chart over days: inline SVG with its legend, its meaning told in words to whoever does not see it.
struct Chart {
  /// What it shows; read out.
  var label: String
  var days: [CivilDate]
  var series: [ChartSeries]
  /// Whether the values are shares of one.
  var isPercent = false

  private static let width = 880.0
  private static let height = 250.0
  private static let left = 56.0
  private static let right = 12.0
  private static let top = 12.0
  private static let bottom = 28.0

  /// Columns, the first series lowest.
  func stacked() -> String {
    let totals = days.indices.map { day in series.reduce(0) { $0 + $1.values[day] } }
    let axis = Axis(highest: totals.max() ?? 0, isPercent: isPercent)
    let step = plotWidth / Double(max(1, days.count))
    let gap = step > 6 ? 0.18 : 0.0
    var body = ""
    for (day, date) in days.enumerated() where totals[day] > 0 {
      var base = 0.0
      let parts = series.map { "\($0.name) \(value($0.values[day]))" }.joined(separator: ", ")
      body += "<g><title>\(date): \(PageText.escaped(parts))</title>"
      for series in series where series.values[day] > 0 {
        let top = base + series.values[day]
        let (low, high) = (y(base, axis), y(top, axis))
        let x = Self.left + step * (Double(day) + gap / 2)
        body +=
          "<rect class=\"s\(series.style)\" x=\"\(number(x))\" y=\"\(number(high))\" "
          + "width=\"\(number(step * (1 - gap)))\" height=\"\(number(max(0.6, low - high)))\"/>"
        base = top
      }
      body += "</g>"
    }
    return figure(body, axis, step: step)
  }

  func lines() -> String {
    let axis = Axis(highest: series.flatMap(\.values).max() ?? 0, isPercent: isPercent)
    let step = plotWidth / Double(max(1, days.count))
    var body = ""
    for series in series {
      let points = series.values.enumerated().map { day, value in
        "\(number(Self.left + step * (Double(day) + 0.5))),\(number(y(value, axis)))"
      }
      body +=
        "<polyline class=\"stroke s\(series.style)\" points=\"\(points.joined(separator: " "))\"><title>"
        + "\(PageText.escaped(series.name))</title></polyline>"
    }
    return figure(body, axis, step: step)
  }

  private var plotWidth: Double { Self.width - Self.left - Self.right }

  private func y(_ value: Double, _ axis: Axis) -> Double {
    let plot = Self.height - Self.top - Self.bottom
    return Self.top + plot * (1 - value / axis.end)
  }

  private func value(_ value: Double) -> String {
    isPercent ? Figure.percent(value) : Figure.decimal(value)
  }

  private func figure(_ body: String, _ axis: Axis, step: Double) -> String {
    var svg = ""
    for tick in axis.ticks {
      let height = number(y(tick, axis))
      svg += "<line class=\"grid\" x1=\"\(number(Self.left))\" x2=\"\(number(Self.width - Self.right))\" "
      svg += "y1=\"\(height)\" y2=\"\(height)\"/><text x=\"\(number(Self.left - 8))\" y=\"\(height)\" "
      svg += "dy=\".35em\" text-anchor=\"end\">\(value(tick))</text>"
    }
    svg += body
    let every = max(1, (days.count + 6) / 7)
    for (day, date) in days.enumerated() where day % every == 0 {
      let x = Self.left + step * (Double(day) + 0.5)
      svg += "<text x=\"\(number(x))\" y=\"\(number(Self.height - 8))\" text-anchor=\"middle\">"
      svg += "\(Self.short(date, with: days))</text>"
    }
    let legend = series.map { "<li><i class=\"s\($0.style)\"></i>\(PageText.escaped($0.name))</li>" }.joined()
    return "<figure>" + (series.count > 1 ? "<ul class=\"legend\">\(legend)</ul>" : "")
      + "<svg viewBox=\"0 0 \(number(Self.width)) \(number(Self.height))\" role=\"img\" "
      + "aria-label=\"\(PageText.escaped(label))\">\(svg)</svg></figure>\n"
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `3 Nov`; with the year where there are several.
  private static func short(_ day: CivilDate, with days: [CivilDate]) -> String {
    let text = "\(day.day) \(months[day.month - 1])"
    return days.first?.year == days.last?.year ? text : "\(text) \(day.year % 100)"
  }
}

/// Two decimals at most: enough for a screen.
func number(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
  if rest == 0 { return String(whole) }
  let digits = String(abs(rest))
  return (hundredths < 0 && whole == 0 ? "-" : "") + "\(whole)." + (digits.count == 1 ? "0" + digits : digits)
}

/// A scale from zero with a few round steps.
struct Axis {
  let ticks: [Double]
  var end: Double { ticks.last! }

  init(highest: Double, isPercent: Bool) {
    let highest = highest > 0 ? highest : 1
    let rough = highest / 4
    var unit = isPercent ? 0.001 : 1.0
    while unit * 10 <= rough { unit *= 10 }
    let step = [1.0, 2, 2.5, 5, 10].map { $0 * unit }.first {
      $0 >= rough && (isPercent || $0 == $0.rounded())
    }
    let size = step ?? unit * 10
    var count = 1
    while Double(count) * size < highest { count += 1 }
    ticks = (0...count).map { Double($0) * size }
  }
}
