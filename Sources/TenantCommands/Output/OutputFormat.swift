/// How a command prints what it found.
enum OutputFormat: String, Sendable, CaseIterable {
  /// For people.
  case table
  /// One document on one line.
  case json
  /// One document a line: each item of a list.
  case ndjson
  /// RFC 4180, with a header line.
  case csv
}
