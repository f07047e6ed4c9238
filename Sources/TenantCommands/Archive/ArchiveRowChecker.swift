import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonService
import CarillonStore

/// Holds the rows of an archive against what a server writes: a checksum tells that a file is whole, not that what it
/// says can be. What the database itself would not take (types, keys, its own checks) is left to it.
struct ArchiveRowChecker {
  /// No server writes a time outside: what never comes stands in the year 3000. What is reckoned from one stays far within
  /// its type.
  static let years = 1970...3000
  /// By a device's clock, which may stand anywhere; nothing is reckoned from it.
  static let devicesYears = 1...9999
  private static let toldByDevices: Set = ["occurred_at", "sent_at"]
  /// Of texts that have no limit of their own.
  static let longestText = 1_024
  static let limits = JSONLimits(values: 2_000_000, bytes: Archive.longestLine)

  private let columns: [String: Set<String>]
  /// By table and column.
  private let types: [String: [String: ArchiveColumnType]]
  private let zones: any ZoneLookup
  private var policies: Set<Int> = []
  /// What the tenant's row says, and in which line.
  private var current: (policy: Int, line: Int)?

  /// - Parameter tables: of the database, which say what each column holds.
  init(_ header: ArchiveHeader, _ tables: [TenantTable], zones: any ZoneLookup) {
    types = Dictionary(
      tables.map { table in
        let named = zip(table.columns, table.types).compactMap { column, type in
          ArchiveColumnType(rawValue: type).map { (column, $0) }
        }
        return (table.name, Dictionary(named) { first, _ in first })
      }
    ) { first, _ in first }
    columns = Dictionary(header.tables.map { ($0.name, Set($0.columns)) }) { first, _ in first }
    self.zones = zones
  }

  /// - Throws: ``ArchiveDamage`` that names line, table and column.
  mutating func check(_ bytes: [UInt8], of table: String, line: Int) throws(ArchiveDamage) {
    do throws(Fault) {
      guard let members = try? JSONValue(parsing: bytes, limits: Self.limits).object else {
        throw Fault(nil, "it is no JSON object")
      }
      try checkNames(members, table)
      for member in members where !member.value.isNull {
        try check(member.value, member.name, table, members)
      }
      try note(members, table, line)
    } catch {
      throw .badValue(line: line, table: table, column: error.column, problem: error.problem)
    }
  }

  /// What can be told of all rows alone.
  func finish() throws(ArchiveDamage) {
    guard let current else { throw .wrongCount(table: "tenants") }
    guard current.policy == 0 || policies.contains(current.policy) else {
      throw .badValue(
        line: current.line, table: "tenants", column: "policy_version",
        problem: "the archive has no policy of version \(current.policy)")
    }
  }

  struct Fault: Error {
    var column: String?
    var problem: String
    init(_ column: String?, _ problem: String) { (self.column, self.problem) = (column, problem) }
  }

  private func checkNames(_ members: [JSONMember], _ table: String) throws(Fault) {
    var wanted = columns[table] ?? []
    let names = Set(members.map(\.name))
    if table == "inbox_items" {
      // Under whose it is, one of the two.
      wanted.remove("inbox_id")
      wanted.insert(names.contains("user") ? "user" : "device")
    }
    if let missing = wanted.subtracting(names).min() { throw Fault(missing, "it is missing") }
    if let more = names.subtracting(wanted).min() { throw Fault(more, "there is no such column") }
    guard names.count == members.count else { throw Fault(nil, "a column stands in it twice") }
  }

  private mutating func note(_ members: [JSONMember], _ table: String, _ line: Int) throws(Fault) {
    func number(_ column: String) throws(Fault) -> Int {
      guard let number = members.first(where: { $0.name == column })?.value.int, number >= 0 else {
        throw Fault(column, "it is no version")
      }
      return number
    }
    switch table {
    case "tenants": current = (try number("policy_version"), line)
    case "policies": policies.insert(try number("version"))
    default: break
    }
  }

  private func check(
    _ value: JSONValue, _ column: String, _ table: String, _ row: [JSONMember]
  ) throws(Fault) {
    // Of an inbox's items these two stand for its id.
    let isOwner = table == "inbox_items" && (column == "user" || column == "device")
    guard let type = isOwner ? .text : types[table]?[column] else {
      throw Fault(column, "this release cannot read columns of its type")
    }
    if let problem = type.problem(with: value, column: column) { throw Fault(column, problem) }
    switch type {
    case .time, .date:
      try checkTime(value, column, in: Self.toldByDevices.contains(column) ? Self.devicesYears : Self.years)
    case .text: try checkText(value, column, table)
    case .texts:
      for item in value.array ?? [] { try checkPlain(item, column, most: Self.longestText) }
      try checkWords(value, column, table)
    case .bytea: try checkBytes(try bytes(value, column), column, table, row)
    case .jsonb: try checkDocument(value, column, table)
    case .boolean, .uuid, .smallint, .integer, .bigint, .numbers: break
    }
  }

  private func checkText(_ value: JSONValue, _ column: String, _ table: String) throws(Fault) {
    let text = value.string ?? ""
    // Its parts are held apart by line feeds.
    if table == "identity_claims", column == "claim" {
      guard IdentityClaim.isStoredForm(text) else { throw Fault(column, "it is no claim of an installation") }
      return
    }
    switch (table, column) {
    case ("devices", "push_token"): try checkPlain(value, column, most: PushRegistration.longestToken)
    case ("devices", _), (_, "user_id"), (_, "user"), (_, "type"), (_, "cohort"):
      try checkPlain(value, column, most: DeviceInfo.longestText)
    default: try checkPlain(value, column, most: Self.longestText)
    }
    switch (table, column) {
    case ("devices", "time_zone"):
      guard zones.zone(named: text) != nil else {
        throw Fault(
          column, "there is no such time zone in this machine's data (--tz-dir names another folder)")
      }
    case (_, "notification_id"), (_, "request_id"):
      guard NotificationID(made: text) != nil else { throw Fault(column, "it is no notification's id") }
    default: try checkWords(value, column, table)
    }
  }

  /// Words of which the server reads some and no others.
  private func checkWords(_ value: JSONValue, _ column: String, _ table: String) throws(Fault) {
    let isKnown: (String) -> Bool
    switch (table, column) {
    case ("deliveries", "outcome"), ("inbox_items", "outcome"):
      isKnown = { DeliveryOutcome(rawValue: $0) != nil }
    case ("deliveries", "reach"): isKnown = { Reach(rawValue: $0) != nil }
    case ("deliveries", "unmet_needs"): isKnown = { Need(rawValue: $0) != nil }
    case ("priming_steps", "step"): isKnown = { PrimingStep(rawValue: $0) != nil }
    case ("device_events", "kind"): isKnown = { !$0.isEmpty }
    case ("device_truths", "waiting"), ("device_truths", "vanished"), ("plans", "sent"),
      ("device_changes", "puts"), ("device_changes", "cancels"):
      isKnown = { NotificationID(made: $0) != nil }
    default: return
    }
    for word in value.array?.compactMap(\.string) ?? [value.string ?? ""] where !isKnown(word) {
      throw Fault(column, "this release cannot read '\(word)'")
    }
  }

  private func checkBytes(
    _ bytes: [UInt8], _ column: String, _ table: String, _ row: [JSONMember]
  ) throws(Fault) {
    let isReadable: Bool
    switch (table, column) {
    case ("devices", "pending"):
      return try read(bytes, column) { (reader) throws(JSONError) in
        try reader.array { (reader) throws(JSONError) in _ = try PendingRequest.read(from: &reader) }
      }
    case ("notifications", "content"), ("inbox_items", "content"):
      return try read(bytes, column) { (reader) throws(JSONError) in
        _ = try NotificationContent(from: &reader)
      }
    case ("policies", "document"):
      return try read(bytes, column) { (reader) throws(JSONError) in _ = try Policy(from: &reader) }
    case ("notifications", "head"):
      let id = NotificationID(unchecked: row.first { $0.name == "notification_id" }?.value.string ?? "")
      isReadable = (try? HeadCodec.decode(bytes, id: id)) != nil
    case ("plans", "document"): isReadable = (try? PlanCodec.decode(bytes)) != nil
    case ("plans", "deliveries"): isReadable = StoredDocuments.areDeliveries(bytes)
    default: return
    }
    guard isReadable else { throw Fault(column, "this release cannot read it") }
  }

  private func checkDocument(_ value: JSONValue, _ column: String, _ table: String) throws(Fault) {
    let isReadable: Bool
    switch (table, column) {
    case ("devices", "settings"):
      return try read(value.bytes, column) { (reader) throws(JSONError) in
        _ = try NotificationSettings(from: &reader)
      }
    case ("device_truths", "tallies"): isReadable = DeviceTruth.canRead(tallies: value.bytes)
    case ("device_truths", "delivered"): isReadable = DeviceTruth.canRead(delivered: value.bytes)
    case ("device_changes", "changes"): isReadable = StoredStateChange.canRead(changes: value.bytes)
    default: return
    }
    guard isReadable else { throw Fault(column, "this release cannot read it") }
  }

  private func checkTime(
    _ value: JSONValue, _ column: String, in years: ClosedRange<Int>
  ) throws(Fault) {
    // PostgreSQL reads the rest; what it would take and nobody writes are times without end, or before Christ.
    guard let text = value.string, text.dropFirst(4).first == "-", let year = Int(text.prefix(4)),
      years.contains(year), !text.hasSuffix("BC")
    else {
      throw Fault(column, "it is no time of the years \(years.lowerBound) to \(years.upperBound)")
    }
  }

  private func checkPlain(_ value: JSONValue, _ column: String, most: Int) throws(Fault) {
    guard let text = value.string else { throw Fault(column, "it is no text") }
    guard text.utf8.count <= most else { throw Fault(column, "it has more than \(most) bytes") }
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw Fault(column, "it has a control character")
    }
  }

  private func read(
    _ bytes: [UInt8], _ column: String, _ body: (inout JSONReader) throws(JSONError) -> Void
  ) throws(Fault) {
    do { try JSONReader.read(bytes, limits: Self.limits, body) } catch {
      throw Fault(column, "\(error.detail) (at \(error.pointer.isEmpty ? "the top" : error.pointer))")
    }
  }

  /// As PostgreSQL writes them: `\x` and hexadecimal.
  private func bytes(_ value: JSONValue, _ column: String) throws(Fault) -> [UInt8] {
    guard let text = value.string, text.hasPrefix("\\x"), text.utf8.count % 2 == 0 else {
      throw Fault(column, "it is not bytes in hexadecimal")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for digit in text.utf8.dropFirst(2) {
      guard let value = Self.value(of: digit) else { throw Fault(column, "it is not bytes in hexadecimal") }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
