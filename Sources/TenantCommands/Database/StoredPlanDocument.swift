import CarillonJSON
import CarillonModel
import CarillonStore

/// A stored plan as the wire has it: with the contents, which stand in the queue.
enum StoredPlanDocument {
  private static let pageSize = 200

  /// Nil when the device has no plan. What has left the queue since stands in the plan without its content.
  static func read(
    from store: OperatorStore, tenant: TenantID, device: DeviceID
  ) async throws -> [UInt8]? {
    guard let stored = try await store.plan(tenant: tenant, device: device) else { return nil }
    var contents: [NotificationID: [UInt8]] = [:]
    var last: NotificationID?
    while true {
      let page = try await store.notifications(tenant: tenant, device: device, after: last, limit: pageSize)
      for notification in page { contents[notification.head.id] = notification.content }
      last = page.last?.head.id
      if page.count < pageSize { break }
    }
    var writer = JSONWriter(capacity: stored.document.count + 256 * contents.count)
    do {
      try PlanEncoder.write(PlanCodec.decode(stored.document), contents: { contents[$0] }, to: &writer)
    } catch {
      throw CommandFailure(
        .error, "the stored plan cannot be read", "Use the tenantctl of the release that runs the server")
    }
    return writer.bytes
  }
}
