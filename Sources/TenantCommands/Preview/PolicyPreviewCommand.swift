import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonService
import CarillonStore
import CarillonZones

/// `tenantctl policy preview`.
enum PolicyPreviewCommand {
  /// So many devices are looked for at once when all are planned.
  static let devicesPerPage = 256

  private static let policy = Option<String>.required(
    "policy", value: "FILE", "The policy to try; - is standard input."
  ).commandLineOnly()
  private static let sample = Option<Int?>.integer(
    "sample", value: "N", in: 1...1_000_000,
    "How many devices to plan, chosen by a hash of their ids; \(WireLimits.defaultPreviewSample) when absent."
  ).commandLineOnly()
  private static let all = Option<Bool>.flag("all", "Plans every device of the tenant.").commandLineOnly()
  private static let device = Option<String?>.text(
    "device", value: "DEVICE",
    "Shows the two plans of this device; alone, it is the only one that is planned."
  ).commandLineOnly()

  static let preview = Command<CommandAction>(
    "preview", "Shows what a policy would change, on real devices, and changes nothing.",
    discussion:
      "Plans devices as of now, under the policy in force and under the one in the file, and counts what differs. "
      + "Exits with 3 when a device would hold, or wait for, anything else, with 0 when none would.",
    options: [policy, sample, all, device, PreviewOptions.zoneFolder], arguments: [CommonOptions.tenant],
    examples: [
      "tenantctl policy preview acme --policy new.json",
      "tenantctl policy preview acme --policy new.json --all",
      "tenantctl policy preview acme --policy new.json --device 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f11",
    ]
  ) { context in
    let scope = try scope(context)
    let shown = try shownDevice(context)
    let file = try InputFile(path: context.values[policy])
    let proposed = try file.parse { (reader) throws(JSONError) in try Policy(from: &reader) }
    let zones = try PlanPreviewCommand.zones(context)
    let name = context.values[CommonOptions.tenant]
    let now = context.now()
    let progress = Progress("devices planned", on: context.console)
    let result = try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      let trial = try PolicyTrial(
        proposed, against: try await store.policy(tenant: tenant.id), zones: zones, now: now)
      var preview = trial.preview(total: try await store.deviceCount(tenant: tenant.id))
      if let shown {
        guard let snapshot = try await store.planningSnapshot(tenant: tenant.id, device: shown)
        else {
          throw DeviceNoun.noDevice(shown, of: tenant)
        }
        guard let plans = try trial.plans(of: snapshot) else {
          throw CommandFailure(
            .error, "the time zone of the device '\(shown.text)' is not in \(zones.path)",
            "Name newer data with --tz-dir")
        }
        preview.shown = plans
      }
      try await plan(scope, of: tenant.id, by: trial, into: &preview, store, progress)
      return preview
    }
    progress.end()
    try context.console.write(
      PolicyPreviewReport.text(result.json, context.format, style: context.console.style))
    return result.findsChanges ? .differences : .ok
  }

  private enum Scope { case none, sample(Int), all }

  private static func scope(_ context: CommandContext) throws(CommandFailure) -> Scope {
    switch (context.values[sample], context.values[all]) {
    case (_?, true):
      throw CommandFailure(.usage, "--sample and --all contradict each other", "Say one of them")
    case (nil, true): return .all
    case (let count?, false): return .sample(count)
    case (nil, false):
      return context.values[device] == nil ? .sample(WireLimits.defaultPreviewSample) : .none
    }
  }

  private static func shownDevice(_ context: CommandContext) throws(CommandFailure) -> DeviceID? {
    guard let text = context.values[device] else { return nil }
    return try DeviceNoun.id(text)
  }

  /// Each device by itself: no transaction is longer than a statement.
  private static func plan(
    _ scope: Scope, of tenant: TenantID, by trial: PolicyTrial, into preview: inout PolicyPreview,
    _ store: OperatorStore, _ progress: Progress
  ) async throws {
    switch scope {
    case .none: return
    case .sample(let count):
      let devices = try await store.sampleDevices(tenant: tenant, limit: count)
      try await plan(devices, of: tenant, by: trial, into: &preview, store) {
        progress.show($0, of: min(count, devices.count))
      }
    case .all:
      var last: DeviceID?
      while true {
        let page = try await store.deviceIDs(tenant: tenant, after: last, limit: devicesPerPage)
        let total = preview.total
        try await plan(page, of: tenant, by: trial, into: &preview, store) { progress.show($0, of: total) }
        last = page.last
        if page.count < devicesPerPage { return }
      }
    }
  }

  private static func plan(
    _ devices: [DeviceID], of tenant: TenantID, by trial: PolicyTrial, into preview: inout PolicyPreview,
    _ store: OperatorStore, _ report: (Int) -> Void
  ) async throws {
    for device in devices {
      // One that was erased meanwhile is no longer there.
      guard
        let snapshot = try await store.planningSnapshot(tenant: tenant, device: device)
      else { continue }
      preview.add(try trial.plans(of: snapshot))
      report(preview.planned + preview.skipped)
    }
  }
}
