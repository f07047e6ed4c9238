import CarillonJSON

extension RecurrenceTrigger {
  /// Bytes of a rule's text.
  public static let longestRule = 1024
  public static let mostExceptions = 1000

  init(from reader: inout JSONReader) throws(JSONError) {
    self.init(start: LocalDateTime(wallSeconds: 0), rule: "")
    var hasStart = false
    var hasRule = false
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "kind": try reader.skip()
      case "start":
        start = try reader.triggerLocalTime()
        hasStart = true
      case "rule":
        rule = try reader.string()
        hasRule = true
        if let (code, detail) = RecurrenceTrigger.shapeProblem(of: rule) {
          throw reader.error(code: code, detail: detail)
        }
      case "except" where try reader.null(): break
      case "except":
        try reader.array { (reader) throws(JSONError) in
          except.append(try reader.triggerLocalTime())
          guard except.count <= RecurrenceTrigger.mostExceptions else {
            throw reader.error(
              code: JSONError.outOfRange, detail: "more than \(RecurrenceTrigger.mostExceptions) exceptions")
          }
        }
      case "timeZone": timeZone = try reader.optional { (reader) throws(JSONError) in try reader.zoneName() }
      default: throw reader.unknownMember(name)
      }
    }
    guard hasStart else { throw reader.missingMember("start") }
    guard hasRule else { throw reader.missingMember("rule") }
  }

  func writeCanonical(to writer: inout JSONWriter) {
    if !except.isEmpty {
      writer.name("except")
      writer.array { writer in
        for time in except { writer.asciiString { time.append(to: &$0) } }
      }
    }
    writer.member("kind", "recurrence")
    writer.member("rule", rule)
    writer.member("start", start)
    writer.member("timeZone", ifPresent: timeZone)
  }

  private static let parts: Set<String> = [
    "FREQ", "INTERVAL", "COUNT", "UNTIL", "BYSECOND", "BYMINUTE", "BYHOUR", "BYDAY", "BYMONTHDAY",
    "BYYEARDAY", "BYWEEKNO", "BYMONTH", "BYSETPOS", "WKST",
  ]
  /// Parts that others plan by: RFC 7529's two, and `dateutil`'s own.
  private static let unsupportedParts: Set<String> = ["RSCALE", "SKIP", "BYEASTER"]
  private static let frequencies: Set<String> = [
    "SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY",
  ]

  /// RFC 5545 section 3.3.10, by shape alone: `NAME=VALUE` parts with known names, each once, a known FREQ among them.
  /// What the values mean is checked where the rule is compiled.
  static func shapeProblem(of rule: String) -> (code: String, detail: String)? {
    func invalid(_ detail: String) -> (code: String, detail: String) { (ModelError.invalidRule, detail) }
    guard (1...longestRule).contains(rule.utf8.count) else {
      return invalid("a rule has 1...\(longestRule) bytes")
    }
    var seen: Set<String> = []
    var frequency: String?
    for part in rule.split(separator: ";", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, !pair[1].isEmpty else {
        return invalid("expected NAME=VALUE, found \"\(part)\"")
      }
      let name = String(pair[0])
      if unsupportedParts.contains(name) || name.hasPrefix("X-") {
        return (ModelError.unsupportedRulePart, "\(name) is not supported")
      }
      guard parts.contains(name) else { return invalid("there is no rule part \"\(name)\"") }
      guard seen.insert(name).inserted else { return invalid("\(name) is there twice") }
      guard pair[1].utf8.allSatisfy(isValueByte) else { return invalid("\(name) has no such value") }
      if name == "FREQ" { frequency = String(pair[1]) }
    }
    guard let frequency else { return invalid("FREQ is missing") }
    guard frequencies.contains(frequency) else { return invalid("there is no frequency \"\(frequency)\"") }
    if seen.contains("COUNT"), seen.contains("UNTIL") { return invalid("COUNT and UNTIL exclude each other") }
    return nil
  }

  private static func isValueByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
  }
}
