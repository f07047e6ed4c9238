import CarillonAPI
import CarillonModel

/// Reports as one page that needs nothing from elsewhere: no script, no font, no picture.
struct ReportPage {
  var tenant: String
  var documents: [ReportDocument]
  var madeAt: Instant

  var html: String {
    let name = PageText.escaped(tenant)
    let (from, to) = (documents[0].from, documents[0].to)
    let title =
      documents.count == 1 ? "\(documents[0].kind.title) of \(name)" : "Notifications of \(name)"
    var page = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width,initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>\(title), \(from) to \(to)</title>
      <style>
      \(PageStyle.css)</style>
      </head>
      <body>
      <main>
      <header>
      <h1>\(title)</h1>
      <p>\(from) to \(to), days of UTC\(counted)</p>
      <p class="note">\(Self.whenCounted)</p>

      """
    if documents.count > 1 {
      let links = documents.map { "<a href=\"#\($0.kind.rawValue)\">\($0.kind.title)</a>" }
      page += "<nav aria-label=\"Reports\">\(links.joined(separator: "\n"))</nav>\n"
    }
    page += "</header>\n"
    for document in documents { page += ReportSection(document).html }
    return page
      + "<footer>Made by Carillon on \(madeAt.utcDay). Counts of all devices; none is named.</footer>\n"
      + "</main>\n</body>\n</html>\n"
  }

  private static let whenCounted =
    "A day is counted after it has ended, when the tenant’s next request comes in, and again when it is 2, 4 and 8 days "
    + "old. “tenantctl report rollup” counts at once."

  /// Where the period is not counted to its end.
  private var counted: String {
    guard let through = documents[0].rolledUpThrough else { return "; no day was counted yet" }
    return through < documents[0].to ? "; counted up to \(through)" : ""
  }
}

extension Route.ReportKind {
  var title: String {
    switch self {
    case .evictions: "Without a slot"
    case .authorization: "Permission"
    case .priming: "Asking for permission"
    case .fatigue: "Fatigue"
    case .delivery: "Delivery"
    case .engagement: "Engagement"
    }
  }
}
