import CarillonJSON
import CarillonModel

extension ReportDocument {
  /// Reads an answer. Shares and medians are made of the counters again; members of newer servers are ignored.
  ///
  ///     let report = try await client.report(.delivery)
  ///     for row in report.rows { print(row.day, row.type, row.counts[.delivered], row.counts.due) }
  ///
  /// - Parameter kind: the report that was asked for.
  public init(_ body: [UInt8], of kind: Route.ReportKind) throws(JSONError) {
    self = try JSONReader.read(body, limits: Self.limits) { (reader) throws(JSONError) in
      try Self(from: &reader, kind)
    }
  }

  private static let limits = JSONLimits(depth: 16, values: 8_000_000, bytes: 64 << 20)

  private init(from reader: inout JSONReader, _ kind: Route.ReportKind) throws(JSONError) {
    var from: CivilDate?
    var to: CivilDate?
    var through: CivilDate?
    var rows: [ReportRow] = []
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "from": from = try reader.day()
      case "to": to = try reader.day()
      case "rolledUpThrough": through = try reader.day()
      case "items":
        try reader.array { (reader) throws(JSONError) in rows.append(try ReportRow(from: &reader, kind)) }
      default: try reader.skip()
      }
    }
    guard let from else { throw reader.missingMember("from") }
    guard let to, to >= from else { throw reader.missingMember("to") }
    self.init(kind: kind, period: from...to, rolledUpThrough: through, rows: rows)
  }
}

extension ReportRow {
  fileprivate init(from reader: inout JSONReader, _ kind: Route.ReportKind) throws(JSONError) {
    var day: CivilDate?
    var type = ""
    var cohort = ""
    var counts = ReportCounts()
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "day": day = try reader.day()
      case "type", "by": type = try reader.string()
      case "cohort", "value": cohort = try reader.string()
      default:
        guard try counts.read(name, &reader, kind) else { return try reader.skip() }
      }
    }
    guard let day else { throw reader.missingMember("day") }
    self.init(day: day, type: type, cohort: cohort, counts: counts)
  }
}

extension ReportCounts {
  /// Reads one member of an item; false: it is none of this report's counters.
  fileprivate mutating func read(
    _ name: JSONName, _ reader: inout JSONReader, _ kind: Route.ReportKind
  ) throws(JSONError) -> Bool {
    switch kind {
    case .evictions, .delivery, .engagement: try readNotifications(name, &reader, kind)
    case .authorization, .priming: try readPermission(name, &reader)
    case .fatigue: try readFatigue(name, &reader)
    }
  }

  private mutating func readNotifications(
    _ name: JSONName, _ reader: inout JSONReader, _ kind: Route.ReportKind
  ) throws(JSONError) -> Bool {
    func set(_ measure: NotificationMeasure) throws(JSONError) {
      self[measure.rawValue] = try reader.int()
    }
    switch name {
    case "evicted": try set(.evicted)
    case "devices": try set(.evictedDevices)
    case "lost": try set(.lost)
    case "lostToLimit": try set(.lostToLimit)
    case "unmet": try set(.unmet)
    case "delivered": try set(.delivered)
    case "tapped": try set(.tapped)
    case "dismissed": try set(.dismissed)
    case "outcomes":
      for (word, count) in try reader.counts() {
        if let outcome = DeliveryOutcome(rawValue: word) {
          self[NotificationMeasure(outcome).rawValue] = count
        }
      }
    case "unmetNeeds":
      for (word, count) in try reader.counts() {
        let measure: NotificationMeasure? =
          switch word {
          case "alert": .unmetAlert
          case "badge": .unmetBadge
          case "lockScreen": .unmetLockScreen
          case "sound": .unmetSound
          default: nil
          }
        if let measure { self[measure.rawValue] = count }
      }
    default: return false
    }
    return true
  }

  private mutating func readPermission(
    _ name: JSONName, _ reader: inout JSONReader
  ) throws(JSONError) -> Bool {
    switch name {
    case "devices": self[PermissionMeasure.devices.rawValue] = try reader.int()
    case "states", "funnel", "steps", "events":
      for (word, count) in try reader.counts() {
        if let measure = Self.permissions[word] { self[measure.rawValue] = count }
      }
    case "answers":
      let answers = try reader.counts()
      self[PermissionMeasure.answeredGranted.rawValue] = answers["granted"] ?? 0
      self[PermissionMeasure.answeredDenied.rawValue] = answers["denied"] ?? 0
    case "secondsToGrant":
      try reader.array { (reader) throws(JSONError) in
        var index = PermissionMeasure.grantBounds.count
        var devices = 0
        try reader.object { (reader, name) throws(JSONError) in
          if try reader.null() { return }
          switch name {
          case "below":
            let bound = try reader.int()
            index = PermissionMeasure.grantBounds.firstIndex(of: bound) ?? index
          case "devices": devices = try reader.int()
          default: try reader.skip()
          }
        }
        self[PermissionMeasure.allCases.count + index] += devices
      }
    default: return false
    }
    return true
  }

  private mutating func readFatigue(
    _ name: JSONName, _ reader: inout JSONReader
  ) throws(JSONError) -> Bool {
    switch name {
    case "devices": self[FatigueMeasure.devices.rawValue] = try reader.int()
    case "degraded": self[FatigueMeasure.degraded.rawValue] = try reader.int()
    case "denied": self[FatigueMeasure.denied.rawValue] = try reader.int()
    case "left": self[FatigueMeasure.left.rawValue] = try reader.int()
    case "leadDays":
      try reader.array { (reader) throws(JSONError) in
        let lead = try reader.counts()
        let days = min(max(lead["days"] ?? 0, 0), FatigueMeasure.longestLeadDays)
        self[FatigueMeasure.allCases.count + days] += lead["left"] ?? 0
      }
    default: return false
    }
    return true
  }

  private static let permissions = Dictionary(
    uniqueKeysWithValues: PermissionMeasure.allCases.map { ("\($0)", $0) })
}

extension JSONReader {
  fileprivate mutating func day() throws(JSONError) -> CivilDate {
    let text = try string()
    guard let day = CivilDate(text) else {
      throw error(code: JSONError.invalidValue, detail: "\"\(text)\" is not a day as in 2026-12-01")
    }
    return day
  }
}
