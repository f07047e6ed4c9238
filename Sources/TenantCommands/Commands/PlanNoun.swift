import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl plan`: what devices hold, and what they would.
enum PlanNoun {
  static let noun = Noun<CommandAction>(
    "plan", "Plans of devices.", verbs: [show, PlanExplainCommand.explain, PlanPreviewCommand.preview])

  private static let show = Command<CommandAction>(
    "show", "Shows the plan of a device as it was answered last.",
    arguments: [CommonOptions.tenant, DeviceNoun.device],
    examples: ["tenantctl plan show acme 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f11"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let id = try DeviceNoun.id(context)
    let plan = try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      if let plan = try await StoredPlanDocument.read(from: store, tenant: tenant.id, device: id) {
        return plan
      }
      guard try await store.device(tenant: tenant.id, device: id) != nil else {
        throw DeviceNoun.noDevice(id, of: tenant)
      }
      throw CommandFailure(
        .notFound, "the device '\(id.text)' has no plan yet", "It gets one when it syncs")
    }
    try context.console.write(PlanReport.text(plan, context.format, style: context.console.style))
    return .ok
  }
}
