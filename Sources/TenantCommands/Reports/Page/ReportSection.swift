import CarillonAPI
import CarillonModel

/// One report on the page: what it says, its figures, its charts, and the numbers behind them.
struct ReportSection {
  let document: ReportDocument
  let summary: ReportSummary

  init(_ document: ReportDocument) {
    self.document = document
    summary = ReportSummary(document)
  }

  var html: String {
    let id = document.kind.rawValue
    var html = "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\">\n"
    html += "<h2 id=\"\(id)-title\">\(document.kind.title)</h2>\n"
    html += "<p>\(PageText.escaped(summary.sentence))</p>\n"
    if !document.rows.isEmpty { html += charts + table }
    return html + "</section>\n"
  }

  private var charts: String {
    switch document.kind {
    case .evictions: evictions
    case .authorization: authorization
    case .priming: priming
    case .fatigue: fatigue
    case .delivery: delivery
    case .engagement: engagement
    }
  }

  func chart(_ series: [ChartSeries], _ label: String, percent: Bool = false) -> Chart {
    Chart(label: label, days: summary.days, series: series, isPercent: percent)
  }

  /// - Parameter note: what one must know to read it.
  func titled(_ title: String, note: String = "", _ figure: String) -> String {
    let note = note.isEmpty ? "" : "<p class=\"note\">\(PageText.escaped(note))</p>\n"
    return "<h3>\(PageText.escaped(title))</h3>\n\(note)\(figure)"
  }

  func figures(_ figures: [(String, String)]) -> String {
    let items = figures.map { "<li><b>\(PageText.escaped($0))</b><span>\(PageText.escaped($1))</span></li>" }
    return "<ul class=\"figures\">\(items.joined())</ul>\n"
  }

  /// The sums of each day, for whoever wants the numbers.
  private var table: String {
    let columns = document.kind.dayColumns
    let head = (["day"] + columns.map(\.name)).map { "<th scope=\"col\">\($0)</th>" }.joined()
    let rows = summary.days.compactMap { day in
      summary.byDay[day].map { counts in
        "<tr><td>\(day)</td>" + columns.map { "<td>\(Figure.count($0.value(counts)))</td>" }.joined()
          + "</tr>"
      }
    }
    return
      "<details><summary>The numbers, day by day</summary><div class=\"scroll\"><table><thead><tr>\(head)"
      + "</tr></thead><tbody>\n\(rows.joined(separator: "\n"))\n</tbody></table></div></details>\n"
  }
}
