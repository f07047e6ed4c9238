import CarillonJSON

/// What a command found, before it is known how it will be printed.
///
/// The JSON is the contract; columns pick from it what a table and a CSV file show.
struct Report {
  enum Body {
    /// One thing.
    case one(JSONValue)
    /// Many; `nextCursor` continues where a limit cut.
    case list([JSONValue], nextCursor: String?)
  }

  var columns: [Column]
  var body: Body
  /// Printed below a table, for people only.
  var notes: [String] = []
  /// What a table shows instead, where the JSON's shape would make it too wide.
  var sheet: Sheet?

  struct Sheet {
    var columns: [Column]
    var rows: [JSONValue]
  }

  private init(columns: [Column], body: Body, notes: [String]) {
    precondition(Set(columns.map(\.name)).count == columns.count, "a column is shown twice")
    self.columns = columns
    self.body = body
    self.notes = notes
  }

  static func one(_ value: JSONValue, columns: [Column], notes: [String] = []) -> Report {
    Report(columns: columns, body: .one(value), notes: notes)
  }

  static func list(
    _ items: [JSONValue], columns: [Column], nextCursor: String? = nil, notes: [String] = []
  ) -> Report {
    Report(columns: columns, body: .list(items, nextCursor: nextCursor), notes: notes)
  }

  /// The whole output.
  func text(_ format: OutputFormat, style: Style) -> String {
    switch format {
    case .json: line(json)
    case .ndjson: items.map(line).joined()
    case .csv:
      CSV.text(header: columns.map(\.name), rows: items.map { item in columns.map { $0.plain(item) } })
    case .table: table(style)
    }
  }

  private var items: [JSONValue] {
    switch body {
    case .one(let value): [value]
    case .list(let items, _): items
    }
  }

  private var json: JSONValue {
    switch body {
    case .one(let value): value
    case .list(let items, let cursor):
      ["items": .array(items), "nextCursor": cursor.map(JSONValue.string) ?? .null]
    }
  }

  private func line(_ value: JSONValue) -> String { String(decoding: value.bytes, as: UTF8.self) + "\n" }

  private func table(_ style: Style) -> String {
    let body: String
    switch self.body {
    case .one(let value):
      body = Table.record(
        columns.map { ($0.title, Table.Cell($0.shown(value), tone: $0.tone(value))) }, style: style)
    case .list(let all, _):
      let (columns, items) = sheet.map { ($0.columns, $0.rows) } ?? (columns, all)
      body = Table(
        header: columns.map { Table.Header($0.title, alignsRight: $0.alignsRight) },
        rows: items.map { item in columns.map { Table.Cell($0.shown(item), tone: $0.tone(item)) } }
      ).text(style: style)
    }
    return body + notes.map { TerminalText.lines($0) + "\n" }.joined()
  }
}

/// One column of a table or a CSV file: a member of the JSON, found by its path.
struct Column: Sendable {
  /// Names joined by dots, as in `device.timeZone`; the header of a CSV file.
  var name: String
  /// What stands above it in a table; nil makes it from the name.
  var heading: String?
  var alignsRight = false
  /// How the text is coloured on a terminal.
  var tones: [String: Tone] = [:]
  /// Of an array of objects: the two members that are told of each, as in `7=3 later=1`, where there is no first one.
  var pair: Pair?

  struct Pair: Sendable {
    var name: String
    var value: String
  }

  init(_ name: String, heading: String? = nil, alignsRight: Bool = false, tones: [String: Tone] = [:]) {
    self.name = name
    self.heading = heading
    self.alignsRight = alignsRight
    self.tones = tones
  }

  /// `createdAt` is CREATED AT.
  var title: String {
    if let heading { return heading }
    let last = name.split(separator: ".").last ?? ""
    return last.map { $0.isUppercase ? " \($0)" : $0.uppercased() }.joined()
  }

  func tone(_ item: JSONValue) -> Tone { tones[plain(item)] ?? .plain }

  /// For people: a dash where there is nothing.
  func shown(_ item: JSONValue) -> String {
    let text = plain(item)
    return text.isEmpty ? "-" : text
  }

  func plain(_ item: JSONValue) -> String {
    let value = name.split(separator: ".").reduce(item) { Self.member(String($1), of: $0) ?? .null }
    guard let pair, let items = value.array else { return Self.plain(value) }
    return items.map { item in
      let name = item[pair.name].map(Self.plain) ?? ""
      return "\(name.isEmpty ? "later" : name)=\(item[pair.value].map(Self.plain) ?? "")"
    }.joined(separator: " ")
  }

  /// - Parameter pair: of each item of an array.
  init(_ name: String, pair: Pair) {
    self.init(name)
    self.pair = pair
  }

  /// Of an array: of each item.
  private static func member(_ name: String, of value: JSONValue) -> JSONValue? {
    guard let items = value.array else { return value[name] }
    return .array(items.compactMap { $0[name] })
  }

  private static func plain(_ value: JSONValue) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    case .number(let text): text
    case .bool(let flag): flag ? "yes" : "no"
    case .array(let items): items.map(plain).joined(separator: " ")
    case .object: String(decoding: value.bytes, as: UTF8.self)
    }
  }
}
