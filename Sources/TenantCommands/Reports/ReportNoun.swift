import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonService
import CarillonStore

/// `tenantctl report`: what happened, day by day.
enum ReportNoun {
  static let noun = Noun<CommandAction>(
    "report", "What happened on the devices of a tenant, day by day.",
    verbs: Route.ReportKind.allCases.map(command) + [all, ReportRollUpCommand.rollUp])

  private static let type = Option<String?>.text("type", value: "TYPE", "Only notifications of this type.")
    .commandLineOnly()
  private static let cohort = Option<String?>.text(
    "cohort", value: "COHORT", "Only devices of this cohort; '' is those without one."
  ).commandLineOnly()
  private static let page = Option<String?>.text(
    "html", value: "FILE", "Writes a page with charts instead, which needs no network."
  ).commandLineOnly()

  private static func command(_ kind: Route.ReportKind) -> Command<CommandAction> {
    Command(
      kind.rawValue, kind.summary,
      discussion: "Days are those of UTC. They are counted by the server once they have ended, and by "
        + "'tenantctl report rollup'.",
      options: ReportDays.options + (kind.hasTypes ? [type] : []) + [cohort, page],
      arguments: [CommonOptions.tenant],
      examples: [
        "tenantctl report \(kind.rawValue) acme",
        "tenantctl report \(kind.rawValue) acme --from 2026-03-01 --to 2026-03-31 -o csv",
      ]
    ) { context in
      let query = try query(context, type: kind.hasTypes ? context.values[type] : nil)
      let (tenant, documents) = try await read([kind], query, in: context)
      if let file = context.values[page] { return try write(documents, of: tenant, to: file, in: context) }
      let document = documents[0]
      switch context.format {
      case .json: try context.console.write(String(decoding: document.json, as: UTF8.self) + "\n")
      case .ndjson, .csv, .table:
        try context.print(
          .list(document.items, columns: kind.columns, notes: [ReportSummary(document).sentence]))
      }
      return .ok
    }
  }

  private static let all = Command<CommandAction>(
    "all", "All reports: a sentence of each, all of them as JSON, or one page with charts.",
    options: ReportDays.options + [cohort, page], arguments: [CommonOptions.tenant],
    examples: ["tenantctl report all acme --html report.html", "tenantctl report all acme -o ndjson"]
  ) { context in
    let (tenant, documents) = try await read(
      Route.ReportKind.allCases, query(context, type: nil), in: context)
    if let file = context.values[page] { return try write(documents, of: tenant, to: file, in: context) }
    switch context.format {
    case .json:
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("tenant", tenant)
        writer.name("reports")
        writer.array { writer in
          for document in documents { document.write(to: &writer) }
        }
      }
      try context.console.write(String(decoding: writer.bytes, as: UTF8.self) + "\n")
    case .ndjson:
      try context.console.write(documents.map { String(decoding: $0.json, as: UTF8.self) + "\n" }.joined())
    case .csv, .table:
      try context.print(
        .list(
          documents.map {
            ["report": .string($0.kind.rawValue), "summary": .string(ReportSummary($0).sentence)]
          }, columns: [Column("report"), Column("summary")]))
    }
    return .ok
  }

  private static func query(
    _ context: CommandContext, type: String?
  ) throws(CommandFailure) -> ReportQuery {
    ReportQuery(
      from: context.values[ReportDays.from], to: context.values[ReportDays.to], type: type,
      cohort: context.values[cohort])
  }

  /// The tenant's name and the reports.
  private static func read(
    _ kinds: [Route.ReportKind], _ query: ReportQuery, in context: CommandContext
  ) async throws -> (String, [ReportDocument]) {
    let name = context.values[CommonOptions.tenant]
    let period: ClosedRange<CivilDate>
    do {
      for kind in kinds { try query.check(for: kind) }
      period = try query.period(now: context.now())
    } catch {
      throw CommandFailure(.usage, error.detail)
    }
    return try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      let service = ReportService(store: ReportStore(store))
      var documents: [ReportDocument] = []
      for kind in kinds {
        documents.append(
          try await service.report(kind, query, period: period, tenant: tenant.id, now: context.now()))
      }
      return (tenant.name, documents)
    }
  }

  private static func write(
    _ documents: [ReportDocument], of tenant: String, to file: String, in context: CommandContext
  ) throws(CommandFailure) -> ExitCode {
    let page = ReportPage(tenant: tenant, documents: documents, madeAt: context.now())
    if file == InputFile.standardInput {
      try context.console.write(page.html)
    } else {
      try OutputFile.write(page.html, to: file)
    }
    return .ok
  }
}

/// Which days a command is about.
enum ReportDays {
  static let from = day("from", "The first day, of UTC; without it 30 days are reported.")
  static let to = day("to", "The last day, included; without it the last whole one.")
  static let options: [any AnyOption] = [from, to]

  private static func day(_ name: String, _ help: String) -> Option<CivilDate?> {
    Option<CivilDate?>.custom(name, value: "DATE", help) { text throws(InvalidValue) in
      guard let day = CivilDate(text), ReportLimits.years.contains(day.year) else {
        throw InvalidValue("a day is wanted, as in 2026-03-01")
      }
      return day
    }.commandLineOnly()
  }
}
