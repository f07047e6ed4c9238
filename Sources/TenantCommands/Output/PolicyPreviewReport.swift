import CarillonJSON

/// What a policy would change, laid out for people and for lines of a file.
enum PolicyPreviewReport {
  private static let parts = ["held", "queued", "withheld", "expired", "moved"]

  /// - Parameter document: the preview's JSON, of our own writing.
  static func text(_ document: [UInt8], _ format: OutputFormat, style: Style) -> String {
    if format == .json { return String(decoding: document, as: UTF8.self) + "\n" }
    guard let preview = try? JSONValue(parsing: document, limits: PlanReport.limits) else {
      fatalError("what was written is no JSON")
    }
    let changed = preview["changedDevices"]?.array ?? []
    guard format == .table else { return Report.list(changed, columns: columns).text(format, style: style) }
    var text = headline(preview) + "\n"
    if preview["devices"]?["planned"]?.int != 0 {
      text += "\n" + sums(preview, style)
    }
    if !changed.isEmpty {
      text += "\n" + Report.list(changed, columns: columns).text(.table, style: style)
      let rest = (preview["devices"]?["changed"]?.int ?? 0) - changed.count
      if rest > 0 { text += "and \(rest) more\n" }
    }
    if let device = preview["device"], device != .null { text += "\n" + sideBySide(device, style) }
    return text
  }

  private static let columns = [
    Column("deviceId"), Column("added", alignsRight: true), Column("removed", alignsRight: true),
    Column("replaced", alignsRight: true), Column("changesQueued", heading: "QUEUE"),
    Column("changesWithheld", heading: "WITHHELD"),
  ]

  private static func headline(_ preview: JSONValue) -> String {
    func count(_ name: String) -> Int { preview["devices"]?[name]?.int ?? 0 }
    let version = preview["policyVersion"]?.int ?? 0
    let inForce = version == 0 ? "the defaults" : "version \(version)"
    var text = "Planned \(count("planned")) of \(count("total")) devices against \(inForce): "
    text += count("changed") == 1 ? "1 plan changes." : "\(count("changed")) plans change."
    if count("skipped") > 0 { text += " \(count("skipped")) have a zone that the zone data lacks." }
    return text
  }

  /// A line for each sum that is not 0 on both sides.
  private static func sums(_ preview: JSONValue, _ style: Style) -> String {
    var rows: [[Table.Cell]] = []
    func add(_ title: String, _ path: [String]) {
      func value(_ side: String) -> Int { path.reduce(preview[side]) { $0?[$1] }?.int ?? 0 }
      let (before, after) = (value("before"), value("after"))
      guard before != 0 || after != 0 else { return }
      let difference = after - before
      let sign = difference > 0 ? "+" : ""
      rows.append([
        Table.Cell(title), Table.Cell(String(before)), Table.Cell(String(after)),
        Table.Cell(difference == 0 ? "" : "\(sign)\(difference)", tone: .warning),
      ])
    }
    for part in parts { add(part, [part]) }
    add("starved devices", ["starvedDevices"])
    for type in names("evictionsByType", preview) { add("no slot: \(type)", ["evictionsByType", type]) }
    for reason in names("withheldByReason", preview) {
      add("withheld: \(reason)", ["withheldByReason", reason])
    }
    let header = [
      Table.Header(""), Table.Header("BEFORE", alignsRight: true), Table.Header("AFTER", alignsRight: true),
      Table.Header("CHANGE", alignsRight: true),
    ]
    return Table(header: header, rows: rows).text(style: style)
  }

  private static func names(_ member: String, _ preview: JSONValue) -> [String] {
    let names = ["before", "after"].flatMap { preview[$0]?[member]?.object?.map(\.name) ?? [] }
    return Set(names).sorted()
  }

  /// What of one device's plans differs, each notification with where it stands on either side.
  private static func sideBySide(_ device: JSONValue, _ style: Style) -> String {
    let before = places(device["before"] ?? .null)
    let after = places(device["after"] ?? .null)
    let ids = Set(before.keys).union(after.keys).sorted()
    let differing = ids.filter { before[$0] != after[$0] }
    var text = "Device \(device["deviceId"]?.string ?? "")\n"
    if !differing.isEmpty {
      text +=
        Table(
          header: [Table.Header("ID"), Table.Header("BEFORE"), Table.Header("AFTER")],
          rows: differing.map { id in
            [
              Table.Cell(id), Table.Cell(before[id] ?? "-"),
              Table.Cell(after[id] ?? "-", tone: .warning),
            ]
          }
        ).text(style: style)
    }
    let same = ids.count - differing.count
    return text + (same == 1 ? "1 is the same.\n" : "\(same) are the same.\n")
  }

  /// As in `held 2026-12-01T08:00:00Z`, by id.
  private static func places(_ plan: JSONValue) -> [String: String] {
    var places: [String: String] = [:]
    for (part, word) in [
      ("expired", "expired"), ("withheld", "withheld"), ("queued", "queued"), ("held", "held"),
    ] {
      for item in plan[part]?.array ?? [] {
        guard let id = item["id"]?.string else { continue }
        let reason = item["reason"]?.string.map { " (\($0))" } ?? ""
        let moved = (item["moves"]?.array ?? []).compactMap { $0["by"]?.string }
        let by = moved.isEmpty ? "" : " (\(moved.joined(separator: ", ")))"
        places[id] = word + (item["fireAt"]?.string.map { " \($0)" } ?? "") + reason + by
      }
    }
    return places
  }
}
