import CarillonModel
import CarillonOptions
import CarillonService
import CarillonStore

/// `tenantctl plan explain`.
enum PlanExplainCommand {
  private static let notification = Argument.required(
    "NOTIFICATION", "The notification's id, that of one of its occurrences, or a digest's.")

  static let explain = Command<CommandAction>(
    "explain", "Tells why a notification is held, waits, is withheld or has expired.",
    discussion:
      "Plans the device as of now and reads the answer out of that plan; nothing is written. Exits with 5 when the "
      + "device's queue has no such notification.",
    options: [PreviewOptions.zoneFolder],
    arguments: [CommonOptions.tenant, DeviceNoun.device, notification],
    examples: ["tenantctl plan explain acme 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f11 habit.1"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let device = try DeviceNoun.id(context)
    let id = try id(context.values[notification])
    let zones = try PlanPreviewCommand.zones(context)
    let now = context.now()
    let explanation = try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      guard let snapshot = try await store.planningSnapshot(tenant: tenant.id, device: device)
      else {
        throw DeviceNoun.noDevice(device, of: tenant)
      }
      let policy = try await store.policy(tenant: tenant.id)
      let deliveries = try await store.deliveries(tenant: tenant.id, device: device, of: id)
      return try PlanExplainer(policy: policy, zones: zones).explain(
        id, in: snapshot, deliveries: deliveries, now: now)
    }
    return try print(explanation, in: context)
  }

  static func id(_ text: String) throws(CommandFailure) -> NotificationID {
    guard let id = NotificationID(made: text) else {
      throw CommandFailure(
        .usage, "'\(text)' is no id of a notification",
        "An id has 1 to \(NotificationID.longestMade) bytes and no control characters")
    }
    return id
  }

  static func print(
    _ explanation: Explanation, in context: CommandContext
  ) throws(CommandFailure) -> ExitCode {
    try context.console.write(
      ExplanationReport.text(explanation, context.format, style: context.console.style))
    return explanation.state == .unknown ? .notFound : .ok
  }
}
