import CarillonJSON
import Foundation

/// What `auto_explain` wrote into a cluster's log: a plan for each statement, those inside functions too.
struct ExplainLog {
  /// Explains everything, with the buffers it took.
  static let settings = [
    "session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on", "auto_explain.log_buffers": "on", "auto_explain.log_timing": "off",
    "auto_explain.log_nested_statements": "on", "auto_explain.log_format": "json",
  ]

  struct Entry {
    /// On one line.
    var statement: String
    /// Tables that were read from one end to the other.
    var scanned: [String] = []
    /// Pages that were looked at, in memory or not.
    var buffers: Int
    /// The whole of it, as PostgreSQL wrote it.
    var plan: String
  }

  let entries: [Entry]

  /// - Parameter text: the log, or its end.
  init(_ text: String) throws {
    var entries: [Entry] = []
    // Each begins at the margin with a brace, and ends with one.
    for part in text.components(separatedBy: "plan:\n").dropFirst() {
      let document = part.components(separatedBy: "\n").prefix { $0.first?.isWhitespace ?? false }
      let json = document.joined(separator: "\n")
      let value = try JSONValue(parsing: Array(json.utf8))
      guard let statement = value["Query Text"]?.string, let plan = value["Plan"] else { continue }
      let blocks = ["Hit", "Read"].reduce(0) { $0 + Int(plan["Shared \($1) Blocks"]?.int ?? 0) }
      var entry = Entry(
        statement: statement.split(whereSeparator: \.isWhitespace).joined(separator: " "), buffers: blocks,
        plan: json)
      Self.collect(plan, into: &entry.scanned)
      entries.append(entry)
    }
    self.entries = entries
  }

  private static func collect(_ node: JSONValue, into scanned: inout [String]) {
    if node["Node Type"]?.string == "Seq Scan" { scanned.append(node["Relation Name"]?.string ?? "") }
    for child in node["Plans"]?.array ?? [] { collect(child, into: &scanned) }
  }
}
