import CarillonJSON

/// A plan's JSON, laid out for people and for lines of a file.
enum PlanReport {
  /// The parts of a plan, in the order in which people read them, and the word for what is in each.
  private static let parts = [
    ("held", "held"), ("queued", "waiting"), ("rejected", "rejected"), ("withheld", "withheld"),
    ("expired", "expired"),
  ]

  /// - Parameter document: the plan's JSON, of our own writing.
  static func text(_ document: [UInt8], _ format: OutputFormat, style: Style) throws(CommandFailure) -> String
  {
    if format == .json { return String(decoding: document, as: UTF8.self) + "\n" }
    guard let plan = try? JSONValue(parsing: document, limits: limits) else {
      throw CommandFailure(
        .error, "the plan is not the JSON it should be",
        "Use the tenantctl of the release that runs the server")
    }
    switch format {
    case .json: preconditionFailure("printed above")
    case .ndjson, .csv: return Report.list(lines(plan), columns: lineColumns).text(format, style: style)
    case .table: return table(plan, style)
    }
  }

  /// A plan is as large as the queue it was made from.
  static let limits = JSONLimits(
    depth: JSONLimits.deepest, values: .max, bytes: .max, refusesDuplicateNames: false)

  /// Every notification once, each with the part of the plan it stands in.
  private static func lines(_ plan: JSONValue) -> [JSONValue] {
    parts.flatMap { part, _ in
      (plan[part]?.array ?? []).map { item in
        JSONValue.object([JSONMember("state", .string(part))] + (item.object ?? []))
      }
    }
  }

  private static let lineColumns = [
    "state", "id", "type", "priority", "fireAt", "rank", "reason", "reach", "slot", "moves.by", "revision",
    "pointer",
    "code",
    "detail",
  ].map { Column($0) }

  private static func table(_ plan: JSONValue, _ style: Style) -> String {
    let text = parts.compactMap { part, word -> String? in
      guard let items = plan[part]?.array, !items.isEmpty else { return nil }
      let title = style.apply(.heading, to: "\(word) (\(items.count))")
      let columns = columns(of: part).filter {
        $0.name != moved.name || items.contains { moved.plain($0) != "" }
      }
      return title + "\n" + Report.list(items, columns: columns).text(.table, style: style) + "\n"
    }
    return text.joined() + Report.one(plan, columns: summary(plan)).text(.table, style: style) + diff(plan)
  }

  /// Shown where something was moved.
  private static let moved = Column("moves.by", heading: "MOVED BY")

  private static func columns(of part: String) -> [Column] {
    switch part {
    case "held":
      [
        Column("fireAt"), Column("id"), Column("type"), Column("priority", alignsRight: true), Column("slot"),
        Column("reach", tones: ["none": .bad, "quiet": .warning]), moved, Column("content.title"),
      ]
    case "queued":
      [
        Column("fireAt"), Column("id"), Column("type"), Column("rank", alignsRight: true),
        Column("reason", tones: ["noSlot": .warning]),
      ]
    case "rejected": [Column("id"), Column("pointer"), Column("code"), Column("detail")]
    case "withheld": [Column("id"), Column("reason")]
    default: [Column("fireAt"), Column("id")]
    }
  }

  private static func summary(_ plan: JSONValue) -> [Column] {
    ["version", "policyVersion", "zoneData", "slots", "foreign", "capacity"].map { Column($0) }
      + [Column("starved", tones: ["yes": .bad]), Column("refreshBy"), Column("coversUntil")]
  }

  private static func diff(_ plan: JSONValue) -> String {
    guard let diff = plan["diff"] else { return "" }
    let remove = diff["remove"]?.array?.count ?? 0
    let add = diff["add"]?.array?.count ?? 0
    return "\nThe device is told to remove \(remove) and to add \(add).\n"
  }
}
