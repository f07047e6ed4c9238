import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonService
import CarillonStore

/// `tenantctl report rollup`.
enum ReportRollUpCommand {
  static let rollUp = Command<CommandAction>(
    "rollup", "Counts the days that reports are made of.",
    discussion:
      "Without days: those that are due, as the server does by itself. With days: these, due or not, from what devices "
      + "still remember; what they have forgotten (after 90 days, or sooner where very much comes due) is lost to the "
      + "day. Counting a day again puts the new counts in the place of the old ones. Exits with 6 when somebody else "
      + "counts a day just then.",
    options: ReportDays.options, arguments: [CommonOptions.tenant],
    examples: [
      "tenantctl report rollup acme", "tenantctl report rollup acme --from 2026-03-01 --to 2026-03-31",
    ]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let days = try days(context)
    var random = SecureRandom()
    let holder = UUID128.make(random: (random.next(), random.next()))
    let (counted, isComplete) = try await context.withStore { store -> ([CivilDate], Bool) in
      let tenant = try await store.tenant(nameOrID: name)
      let rollUp = ReportRollUp(store: ReportStore(store), holder: holder, now: context.now)
      guard let days else {
        let outcome = try await rollUp.run(tenant: tenant.id)
        return (outcome.days, outcome.isComplete)
      }
      var counted: [CivilDate] = []
      for day in days {
        context.console.replaceLine("counting \(day)")
        if try await rollUp.count(day, tenant: tenant.id) { counted.append(day) }
      }
      context.console.replaceLine("")
      return (counted, counted.count == days.count)
    }
    try context.print(.list(counted.map { ["day": .string($0.text)] }, columns: [Column("day")]))
    guard isComplete else {
      throw CommandFailure(.conflict, "somebody else is counting days of '\(name)'", "Try again in a minute")
    }
    return .ok
  }

  /// Nil: those that are due.
  private static func days(_ context: CommandContext) throws(CommandFailure) -> [CivilDate]? {
    let (from, to) = (context.values[ReportDays.from], context.values[ReportDays.to])
    guard from != nil || to != nil else { return nil }
    let last = context.now().utcDay.adding(days: -1)
    guard let from else {
      throw CommandFailure(.usage, "--to is there without --from", "Say both, or neither for the days due")
    }
    let end = to ?? last
    guard from <= end, end <= last, end.daysSinceEpoch - from.daysSinceEpoch < ReportLimits.days else {
      throw CommandFailure(
        .usage, "no days to count from \(from) to \(end)",
        "Give at most \(ReportLimits.days) days, the last one not after \(last)")
    }
    return (from.daysSinceEpoch...end.daysSinceEpoch).map(CivilDate.init(daysSinceEpoch:))
  }
}
