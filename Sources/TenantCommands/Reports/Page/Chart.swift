import CarillonModel

/// One line, or one layer of a stack.
struct ChartSeries {
  var name: String
  /// One for each day; nil: there is nothing to tell of it, and a line has a gap.
  var values: [Double?]
  /// Of ``PageStyle``.
  var style: Int

  init(_ name: String, _ values: [Double?], style: Int) {
    self.name = name
    self.values = values
    self.style = style
  }

  var sum: Double { values.reduce(0) { $0 + ($1 ?? 0) } }
}

/// A chart over days: inline SVG with its legend, its meaning told in words to whoever does not see it.
struct Chart {
  /// What it shows; read out.
  var label: String
  var days: [CivilDate]
  var series: [ChartSeries]
  /// Whether the values are shares of one.
  var isPercent = false
  /// What each column stands for, where it is not a day.
  private var spans: [String] = []

  init(label: String, days: [CivilDate], series: [ChartSeries], isPercent: Bool = false) {
    self.label = label
    self.days = days
    self.series = series
    self.isPercent = isPercent
  }

  private static let width = 880.0
  private static let height = 250.0
  private static let left = 56.0
  private static let right = 12.0
  private static let top = 12.0
  private static let bottom = 28.0

  /// Columns are too thin to be told apart beyond so many.
  private static let mostColumns = 92

  /// The same numbers in columns of seven days where there are many days; the last column is a whole one.
  private var byWeek: Chart {
    guard !isPercent, days.count > Self.mostColumns else { return self }
    let first = (days.count - 1) % 7
    let starts = [0] + Array(stride(from: first + 1, to: days.count, by: 7))
    let ends = Array(starts.dropFirst()) + [days.count]
    var chart = self
    chart.spans = zip(starts, ends).map { "\(days[$0]) to \(days[$1 - 1])" }
    chart.days = starts.map { days[$0] }
    chart.series = series.map { series in
      var weeks = series
      weeks.values = zip(starts, ends).map { start, end in
        series.values[start..<end].reduce(0) { $0 + ($1 ?? 0) }
      }
      return weeks
    }
    return chart
  }

  /// Columns, the first series lowest; of a week each where there are many days.
  func stacked() -> String {
    let chart = byWeek
    return chart.columns()
      + (chart.spans.isEmpty
        ? "" : "<p class=\"note\">Each column is a week and stands over its first day.</p>\n")
  }

  private func columns() -> String {
    let totals = days.indices.map { day in series.reduce(0) { $0 + ($1.values[day] ?? 0) } }
    let axis = Axis(highest: totals.max() ?? 0, isPercent: isPercent)
    let step = plotWidth / Double(max(1, days.count))
    let gap = step > 6 ? 0.18 : 0.0
    var body = ""
    for (day, date) in days.enumerated() where totals[day] > 0 {
      var base = 0.0
      let parts = series.map { "\($0.name) \(value($0.values[day] ?? 0))" }.joined(separator: ", ")
      let span = spans.isEmpty ? "\(date)" : spans[day]
      body += "<g><title>\(span): \(PageText.escaped(parts))</title>"
      for series in series {
        guard let own = series.values[day], own > 0 else { continue }
        let top = base + own
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
    let axis = Axis(
      highest: series.flatMap(\.values).compactMap(\.self).max() ?? 0, isPercent: isPercent)
    let step = plotWidth / Double(max(1, days.count))
    var body = ""
    for series in series {
      let name = PageText.escaped(series.name)
      for run in Self.runs(series.values) {
        let points = run.map { day, value in
          "\(number(Self.left + step * (Double(day) + 0.5))),\(number(y(value, axis)))"
        }
        // A day alone is a dot: a line of no length with round ends.
        let line = (points.count == 1 ? points + points : points).joined(separator: " ")
        body +=
          "<polyline class=\"stroke s\(series.style)\" points=\"\(line)\"><title>\(name)</title></polyline>"
      }
    }
    return figure(body, axis, step: step)
  }

  /// The stretches of days that have values.
  private static func runs(_ values: [Double?]) -> [[(day: Int, value: Double)]] {
    var runs: [[(day: Int, value: Double)]] = []
    for (day, value) in values.enumerated() {
      guard let value else { continue }
      if let last = runs.last?.last, last.day == day - 1 {
        runs[runs.count - 1].append((day, value))
      } else {
        runs.append([(day, value)])
      }
    }
    return runs
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
    // Shares that add up to one may be a hair above it.
    while Double(count) * size < highest * (1 - 1e-9) { count += 1 }
    ticks = (0...count).map { Double($0) * size }
  }
}
