import CarillonAPI
import CarillonJSON

extension ReportDocument {
  /// The items, as they are in the JSON.
  var items: [JSONValue] {
    // Made by us just now; its size is bounded by the rows.
    let limits = JSONLimits(depth: 16, values: 64_000_000, bytes: 1 << 30)
    guard let value = try? JSONValue(parsing: json, limits: limits) else {
      fatalError("what was written is no JSON")
    }
    return value["items"]?.array ?? []
  }
}

extension Route.ReportKind {
  /// One line of help.
  var summary: String {
    switch self {
    case .evictions: "What had no slot, and what came due while it had none."
    case .authorization: "What devices are allowed, and the way there: primed, asked, granted, kept."
    case .priming: "Steps on the way to permission, and the answers."
    case .fatigue: "Who lost sound and lock screen, who left, and how long after."
    case .delivery: "What became of what came due, and needs that were not met."
    case .engagement: "What was delivered, tapped and dismissed."
    }
  }

  /// Of a table and a CSV file.
  var columns: [Column] {
    let place =
      self == .fatigue
      ? [Column("day"), Column("by"), Column("value")]
      : hasTypes ? [Column("day"), Column("type"), Column("cohort")] : [Column("day"), Column("cohort")]
    return place + numbers.map { Column($0, alignsRight: true) } + spans
  }

  /// Counts of how long something took: by the bound they stayed below, and by days.
  private var spans: [Column] {
    switch self {
    case .priming: [Column("secondsToGrant", pair: .init(name: "below", value: "devices"))]
    case .fatigue: [Column("leadDays", pair: .init(name: "days", value: "left"))]
    case .evictions, .authorization, .delivery, .engagement: []
    }
  }

  private var numbers: [String] {
    switch self {
    case .evictions: ["evicted", "devices", "lost", "lostToLimit"]
    case .authorization:
      ["devices"]
        + ["notDetermined", "denied", "authorized", "provisional", "ephemeral", "unknown"].map {
          "states.\($0)"
        } + ["primed", "asked", "granted", "kept"].map { "funnel.\($0)" }
    case .priming:
      ["none", "wait", "showPrimer", "showDialog", "requestProvisional", "openSettings"].map {
        "steps.\($0)"
      }
        + ["primingShown", "primingAccepted", "primingPostponed", "dialogShown"].map { "events.\($0)" }
        + ["answers.granted", "answers.denied"]
    case .fatigue:
      [
        "devices", "degraded", "denied", "shareDegraded", "shareDenied", "left", "warned", "medianLeadDays",
      ]
    case .delivery:
      ["due"]
        + [
          "open", "delivered", "inferredDelivered", "suppressed", "removedOnDevice", "missed", "rescued",
          "expired",
        ].map { "outcomes.\($0)" } + ["unmet"]
        + ["alert", "badge", "lockScreen", "sound"].map { "unmetNeeds.\($0)" }
    case .engagement: ["delivered", "tapped", "dismissed", "tapRate"]
    }
  }
}
