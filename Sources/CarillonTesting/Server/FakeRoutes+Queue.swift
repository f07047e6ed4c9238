import CarillonAPI
import CarillonClient
import CarillonJSON
import CarillonModel
import CarillonPlanner

extension FakeRoutes {
  func missing(_ id: NotificationID) -> Problem {
    Problem(.notificationNotFound, "There is no \(id.text) in the queue of this device.")
  }

  func item(
    _ id: NotificationID, _ device: DeviceID, _ tenant: FakeTenant
  ) throws(Problem) -> NotificationItem {
    guard let known = tenant.devices[device], let entry = known.queue[id] else { throw missing(id) }
    let held = known.plan.held.first { $0.source == id }
    let waits = known.plan.queued.first { $0.id == id }
    let state: NotificationItem.State =
      if held != nil {
        .held
      } else if waits != nil {
        .queued
      } else if known.plan.withheld.contains(where: { $0.id == id }) {
        .withheld
      } else if known.plan.expired.contains(where: { $0.id == id }) {
        .expired
      } else {
        .accepted
      }
    return NotificationItem(
      head: entry.notification.head, content: entry.notification.content.canonicalBytes,
      type: held?.type ?? waits?.type ?? entry.notification.head.type ?? "unknown",
      priority: held?.priority ?? 99, fireAt: held?.fireAt ?? waits?.fireAt, state: state,
      createdAt: entry.acceptedAt)
  }

  func list(
    _ device: DeviceID, _ page: PageRequest, _ tenant: FakeTenant
  ) throws(Problem) -> [UInt8] {
    let ids = (tenant.devices[device]?.queue.keys).map(Array.init) ?? []
    let sorted = ids.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let rest = sorted.drop { text in
      page.cursor.map { !$0.key.utf8.lexicographicallyPrecedes(text.utf8) } ?? false
    }
    var items: [NotificationItem] = []
    for text in rest.prefix(page.limit + 1) {
      items.append(try item(NotificationID(unchecked: text), device, tenant))
    }
    return self.page(items, page, { Cursor(list: .notifications, key: $0.head.id.text) }) {
      $0.write(to: &$1)
    }
  }

  func results(of batch: ReceivedBatch, _ tenant: inout FakeTenant) -> [BatchResult] {
    var results: [BatchResult] = []
    for (index, operation) in batch.operations.enumerated() {
      switch operation {
      case .failure(let problem): results.append(BatchResult(index: index, rejectedBy: problem))
      case .success(let operation):
        results.append(BatchResult(index: index, status: perform(operation, &tenant)))
      }
    }
    return results
  }

  private func perform(_ operation: BatchOperation, _ tenant: inout FakeTenant) -> BatchResult.Status {
    var status = BatchResult.Status.unchanged
    for device in devices(of: operation.target, tenant) {
      let one: BatchResult.Status
      switch operation.action {
      case .put(let notification): one = tenant.put(notification, for: device, at: now)
      case .cancel(let id): one = tenant.cancel(id, for: device)
      }
      if one != .unchanged { status = one }
    }
    return status
  }

  private func devices(of target: BatchOperation.Target, _ tenant: FakeTenant) -> [DeviceID] {
    switch target {
    case .device(let device): [device]
    case .user(let user): tenant.devices.filter { $0.value.info.userId == user }.map(\.key)
    }
  }
}
