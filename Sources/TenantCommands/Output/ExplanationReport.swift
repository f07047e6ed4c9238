import CarillonJSON
import CarillonModel

/// Why a notification is where it is: a story of a few sentences for people, the wire's JSON for programs.
enum ExplanationReport {
  static func text(_ explanation: Explanation, _ format: OutputFormat, style: Style) -> String {
    if format == .table { return story(explanation, style) }
    var writer = JSONWriter()
    explanation.write(to: &writer)
    guard let value = try? JSONValue(parsing: writer.bytes) else { fatalError("what was written is no JSON") }
    return Report.one(value, columns: columns).text(format, style: style)
  }

  private static let columns = [
    "id", "state", "reason", "type.name", "priority.effective", "requestedAt", "fireAt", "moves.by", "rank",
    "slot", "reach", "tookSlot.id", "runnerUp.id", "digest", "summary",
  ].map { Column($0) }

  private static func story(_ explanation: Explanation, _ style: Style) -> String {
    var text = style.apply(.heading, to: TerminalText.safe(explanation.id.text)) + "\n"
    text += TerminalText.safe(explanation.summary) + "\n"
    let chapters = [
      ("Type", type(explanation)), ("Priority", priority(explanation)), ("Time", time(explanation)),
      ("Notice", notice(explanation)), ("Order", order(explanation)), ("Slots", slots(explanation.slots)),
    ].filter { !$0.1.isEmpty }
    text +=
      "\n" + Table.record(chapters.map { ($0.0, Table.Cell($0.1.joined(separator: " "))) }, style: style)
    if !explanation.occurrences.isEmpty { text += "\n" + occurrences(explanation.occurrences, style) }
    return text
  }

  private static func type(_ explanation: Explanation) -> [String] {
    guard let type = explanation.type else { return [] }
    switch type.by {
    case .given: return ["'\(type.name)', which the notification names itself."]
    case .prefix: return ["'\(type.name)', because its id begins with '\(type.prefix ?? "")'."]
    case .none: return ["'\(type.name)': no prefix of the policy matches its id."]
    }
  }

  private static func priority(_ explanation: Explanation) -> [String] {
    guard let priority = explanation.priority else { return [] }
    return ["\(priority.effective)."] + priority.reasons.map(\.detail)
  }

  private static func time(_ explanation: Explanation) -> [String] {
    guard let wished = explanation.requestedAt else { return [] }
    var sentences = ["It asks for \(wished.text)."]
    for move in explanation.moves { sentences.append("\(mover(move.by)) it to \(move.to.text).") }
    if explanation.moves.isEmpty, explanation.state == .held {
      sentences.append("That is when it will ring.")
    }
    return sentences
  }

  private static func mover(_ rule: String) -> String {
    switch rule {
    case "quietHours": "Quiet hours move"
    case "frequencyCaps": "A frequency cap moves"
    case "overdue": "That has passed, and being overdue moves"
    case "digest": "A digest brings"
    default: "'\(rule)' moves"
    }
  }

  private static func notice(_ explanation: Explanation) -> [String] {
    guard let reach = explanation.reach else { return [] }
    let sentence =
      switch reach {
      case .audible: "It can be seen and heard."
      case .visible: "It can be seen, but not heard."
      case .quiet: "It arrives quietly, in Notification Center alone."
      case .soundOnly: "It can be heard, but nothing is shown."
      case .badgeOnly: "It can change the badge and nothing else."
      case .none: "By the device's settings nobody would notice it."
      }
    let needs = explanation.unmetNeeds.map(\.rawValue)
    guard !needs.isEmpty else { return [sentence] }
    return [sentence, "It needs \(needs.joined(separator: ", ")), which the device does not allow."]
  }

  private static func order(_ explanation: Explanation) -> [String] {
    var sentences: [String] = []
    if let rank = explanation.rank {
      let order =
        explanation.slots.order == .soonestFirst
        ? "the soonest comes first" : "the most important comes first"
      sentences.append("Number \(rank), where \(order).")
    }
    if let winner = explanation.tookSlot {
      sentences.append("The last slot before it went to \(named(winner)).")
    }
    if let waiting = explanation.waitingBefore, waiting > 0 {
      sentences.append(waiting == 1 ? "One other waits before it." : "\(waiting) others wait before it.")
    }
    if let next = explanation.runnerUp { sentences.append("Next in line for its slot is \(named(next)).") }
    if let digest = explanation.digest { sentences.append("'\(digest.text)' rings for it.") }
    return sentences
  }

  private static func named(_ other: Explanation.Competitor) -> String {
    let time = other.fireAt.map { ", \($0.text)" } ?? ""
    return "'\(other.id.text)' (\(other.type), priority \(other.priority)\(time))"
  }

  private static func slots(_ use: Explanation.SlotUse) -> [String] {
    var sentences = ["\(use.held) of \(use.capacity) taken."]
    if use.foreign > 0 {
      let rest = use.foreign == 1 ? "1 holds a request" : "\(use.foreign) hold requests"
      sentences.append("Of \(use.slots) the policy gives, \(rest) that Carillon did not send.")
    }
    sentences.append(
      use.queued == 0
        ? "Nothing waits." : use.queued == 1 ? "1 request waits." : "\(use.queued) requests wait.")
    return sentences
  }

  private static func occurrences(_ occurrences: [Explanation.Occurrence], _ style: Style) -> String {
    Table(
      header: [
        Table.Header("FIRE AT"), Table.Header("OCCURRENCE"), Table.Header("STATE"),
        Table.Header("RANK", alignsRight: true),
      ],
      rows: occurrences.map { occurrence in
        [
          Table.Cell(occurrence.fireAt.text), Table.Cell(occurrence.id.text),
          Table.Cell(occurrence.state.rawValue, tone: occurrence.state == .held ? .good : .warning),
          Table.Cell(String(occurrence.rank)),
        ]
      }
    ).text(style: style)
  }
}
