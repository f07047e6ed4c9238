import CarillonJSON
import CarillonOptions
import CarillonPostgres
import CarillonStore
import CarillonZones

/// `tenantctl doctor`: looks at what an installation needs, and says how to mend it.
enum DoctorNoun {
  static let noun = Noun<CommandAction>(
    "doctor", "Looks at what an installation needs, and says how to mend it.", verbs: [check],
    defaultVerb: "check")

  private struct Finding {
    enum State: String { case ok, warning, failed }
    var check: String
    var state: State
    var detail: String
    var remedy: String?

    var json: JSONValue {
      [
        "check": .string(check), "state": .string(state.rawValue), "detail": .string(detail),
        "remedy": remedy.map(JSONValue.string) ?? .null,
      ]
    }
  }

  private static let check = Command<CommandAction>(
    "check", "Checks database, roles, migrations and time zone data.",
    discussion: "Changes nothing. Exits with 1 when a check failed.", options: [PreviewOptions.zoneFolder],
    examples: ["tenantctl doctor", "tenantctl doctor -o json"]
  ) { context in
    let findings = await [operatorLogin(context), migrations(context), zones(context)]
    try context.print(
      .list(
        findings.map(\.json),
        columns: [
          Column("check"), Column("state", tones: ["ok": .good, "warning": .warning, "failed": .bad]),
          Column("detail"), Column("remedy"),
        ]))
    return findings.contains { $0.state == .failed } ? .error : .ok
  }

  private static func operatorLogin(_ context: CommandContext) async -> Finding {
    do {
      let count = try await context.withStore { try await $0.tenants().count }
      return Finding(check: "database", state: .ok, detail: "answers as carillon_operator; tenants: \(count)")
    } catch {
      return failed("database", error)
    }
  }

  private static func migrations(_ context: CommandContext) async -> Finding {
    do {
      let status = try await DatabaseSession.run(DatabaseTarget(context), as: .product(.owner)) {
        try await Schema.migrator.status(on: $0)
      }
      let newest = status.entries.last { $0.state == .applied }?.version ?? 0
      if status.isCurrent { return Finding(check: "migrations", state: .ok, detail: "at version \(newest)") }
      let others = status.entries.filter { $0.state != .applied }.map { "\($0.version) \($0.state.rawValue)" }
      let isOnlyPending = status.entries.allSatisfy { $0.state == .applied || $0.state == .pending }
      return Finding(
        check: "migrations", state: .failed,
        detail: "at version \(newest); \(others.joined(separator: ", "))",
        remedy: isOnlyPending
          ? "Run 'tenantctl db migrate'." : "Use the release that made the schema.")
    } catch {
      return failed("migrations", error)
    }
  }

  private static func zones(_ context: CommandContext) -> Finding {
    let path = context.values[PreviewOptions.zoneFolder]
    do {
      let folder = try ZoneFolder(path: path)
      return Finding(check: "timeZones", state: .ok, detail: "release \(folder.version) in \(path)")
    } catch {
      return Finding(
        check: "timeZones", state: .failed, detail: "no time zone data in \(path)",
        remedy: "Install the package tzdata, or name its folder with --tz-dir.")
    }
  }

  private static func failed(_ check: String, _ error: any Error) -> Finding {
    let failure = CommandFailure(error)
    return Finding(
      check: check, state: .failed, detail: failure.problem,
      remedy: failure.remedy.isEmpty ? nil : failure.remedy + ".")
  }
}
