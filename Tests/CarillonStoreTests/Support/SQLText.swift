import Foundation

/// The files of `sql/`, and what they must not say.
enum SQLText {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("sql")

  static func names(in part: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(part).path)
      .filter { $0.hasSuffix(".sql") }.sorted()
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
  }

  /// The statements of a text without comments, those inside functions too; white space is single blanks.
  static func statements(_ text: String) -> [String] {
    let lines = text.split(separator: "\n").map { line in
      line.range(of: "--").map { line[..<$0.lowerBound] } ?? line
    }
    return lines.joined(separator: " ").split(separator: ";").map { statement in
      statement.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }.filter { !$0.isEmpty }
  }

  enum Rule: String, Hashable, Sendable, CaseIterable {
    /// A tenant is set for one transaction and by the server's own words only (rule 9).
    case sessionSetting
    /// Time, ids and chance come as parameters (rule 12).
    case ownTimeOrChance
    /// INSERT … SELECT carries ON CONFLICT or RETURNING (rule 13).
    case bareInsertSelect
    case merge
    /// A row lock names its device, or the tenant where that is what rows are spread by (rule 14).
    case wideRowLock
    /// An outer join from anything but a device table onto one (rule 16): it brings a Citus coordinator down.
    case outerJoinOntoDevices
    case rollup
  }

  static func broken(by statement: String, deviceTables: [String]) -> Set<Rule> {
    let text = statement.lowercased()
    func has(_ pattern: String) -> Bool { text.range(of: pattern, options: .regularExpression) != nil }
    var rules: Set<Rule> = []
    if has(#"\bset (session|app\.|local\b)|set_config\([^)]*false\)|\bdiscard\b"#) {
      rules.insert(.sessionSetting)
    }
    if has(
      #"\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|nextval)\("#
        + #"|uuid_generate_|\bcurrent_(timestamp|date|time)\b|\blocaltime(stamp)?\b"#)
    {
      rules.insert(.ownTimeOrChance)
    }
    if has(#"\binsert into\b[^;]*\bselect\b"#), !has(#"\bon conflict\b|\breturning\b"#) {
      rules.insert(.bareInsertSelect)
    }
    if has(#"\bmerge into\b"#) { rules.insert(.merge) }
    if has(#"\bfor (update|no key update|share|key share)\b|\bskip locked\b"#),
      !has(#"\bdevice_id = (\$\d|p_device)"#),
      !has(#"\bfrom carillon\.report_days as d where d\.tenant_id = \$1\b"#)
    {
      rules.insert(.wideRowLock)
    }
    let tables = deviceTables.joined(separator: "|")
    if has(#"\b(right|full)( outer)? join (only )?carillon\.(\#(tables))\b"#)
      || has(#"\bleft( outer)? join (only )?carillon\.(\#(tables))\b"#)
        && !has(#"^[^()]*?\bfrom carillon\.(\#(tables))\b[^()]*$"#)
      || has(#"carillon\.(\#(tables))( as)?( \w+)? (right|full)( outer)? join\b"#)
    {
      rules.insert(.outerJoinOntoDevices)
    }
    if has(#"\b(rollup|cube|grouping sets)\b"#) { rules.insert(.rollup) }
    return rules
  }
}
