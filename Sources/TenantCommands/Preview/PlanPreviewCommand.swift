import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonPlanner
import CarillonZones

/// `tenantctl plan preview`.
enum PlanPreviewCommand {
  static let preview = Command<CommandAction>(
    "preview", "Plans from files alone, with no database and no server.",
    discussion:
      "Prints the plan, its 'diff' against what the device holds, and in 'rejected' the notifications "
      + "that are refused; when there are such, the exit code is 8. With --explain it prints the story of one "
      + "notification instead, and exits with 5 when there is none of that id. A file named - is standard input.",
    options: PreviewOptions.all,
    examples: [
      "tenantctl plan preview --device D.json --queue Q.json --now 2026-03-04T00:00:00Z",
      "tenantctl plan preview --policy P.json --device D.json --queue - --now 2026-03-04T00:00:00Z -o json < Q.json",
    ]
  ) { context in
    var input = try PreviewInput(context)
    let zones = try zones(context)
    let zone = try zone(of: &input, zones)
    for warning in input.warnings { context.console.complain("tenantctl: \(warning).") }
    let preview = PlanPreview(input, zone: zone, zones: zones, now: context.values[PreviewOptions.now])
    if let text = context.values[PreviewOptions.explain] {
      return try PlanExplainCommand.print(
        preview.explanation(of: try PlanExplainCommand.id(text), zones: zones), in: context)
    }
    try context.console.write(PlanReport.text(preview.json, context.format, style: context.console.style))
    let count = preview.rejectedCount
    guard count == 0 else {
      context.console.complain(
        "tenantctl: \(count == 1 ? "one item was" : "\(count) items were") refused; 'rejected' says why.")
      return .partFailed
    }
    return .ok
  }

  static func zones(_ context: CommandContext) throws(CommandFailure) -> ZoneFolder {
    try zones(context.values[PreviewOptions.zoneFolder])
  }

  static func zones(_ path: String) throws(CommandFailure) -> ZoneFolder {
    do { return try ZoneFolder(path: path) } catch {
      throw CommandFailure(
        .error, "there is no time zone data in '\(path)'",
        "Install the package tzdata, or name its folder with --tz-dir")
    }
  }

  private static func zone(
    of input: inout PreviewInput, _ zones: ZoneFolder
  ) throws(CommandFailure) -> ZoneTable {
    guard let name = input.report.device?.timeZone else {
      input.warnings.append(
        "\(input.reportName) names no /device/timeZone; UTC is taken")
      return .utc
    }
    guard let zone = zones.zone(named: name) else {
      throw CommandFailure(
        .error,
        "\(input.reportName) at /device/timeZone: there is no time zone '\(name)' in \(zones.path)",
        "Mend the file, or name newer data with --tz-dir")
    }
    return zone
  }
}
