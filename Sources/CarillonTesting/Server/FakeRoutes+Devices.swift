import CarillonAPI
import CarillonClient
import CarillonJSON
import CarillonModel

extension FakeRoutes {
  func devices(_ page: PageRequest, _ tenant: FakeTenant) -> [UInt8] {
    let ids = tenant.devices.keys.sorted { $0.text < $1.text }
      .filter { id in page.cursor.map { id.text > $0.key } ?? true }
    return self.page(ids, page, { Cursor(list: .devices, key: $0.text) }) { id, writer in
      item(id, tenant).write(to: &writer)
    }
  }

  func device(_ id: DeviceID, _ tenant: FakeTenant) throws(Problem) -> [UInt8] {
    guard tenant.devices[id] != nil else { throw .noDevice }
    var item = item(id, tenant)
    item.standing = DeviceStanding()
    return item.json
  }

  private func item(_ id: DeviceID, _ tenant: FakeTenant) -> DeviceItem {
    let device = tenant.devices[id] ?? FakeTenant.Device()
    return DeviceItem(
      id: id, info: device.info, authorizationStatus: device.status, settings: device.settings,
      planVersion: device.plan.version, sequence: device.sequence < 0 ? nil : device.sequence,
      createdAt: device.createdAt ?? now, updatedAt: device.seenAt ?? device.createdAt ?? now,
      seenAt: device.seenAt)
  }

  /// Of what the fake server keeps no history.
  func emptyList(
    of device: DeviceID, _ page: PageRequest, _ tenant: FakeTenant
  ) throws(Problem) -> [UInt8] {
    guard tenant.devices[device] != nil else { throw .noDevice }
    return self.page([DeviceID](), page, { Cursor(list: .devices, key: $0.text) }) { _, _ in }
  }

  func emptyReport(_ kind: Route.ReportKind, _ query: ReportQuery) throws(Problem) -> [UInt8] {
    try query.check(for: kind)
    return ReportDocument(kind: kind, period: try query.period(now: now), rolledUpThrough: nil, rows: []).json
  }

  /// - Parameter items: those behind the page's cursor; more than its limit are the next page's.
  func page<Item>(
    _ items: [Item], _ page: PageRequest, _ cursor: (Item) -> Cursor,
    _ write: (Item, inout JSONWriter) -> Void
  ) -> [UInt8] {
    let shown = Array(items.prefix(page.limit))
    let next = items.count > page.limit ? shown.last.map { cursor($0).text } : nil
    var writer = JSONWriter()
    Page(items: shown, nextCursor: next).write(to: &writer, item: write)
    return writer.bytes
  }
}

extension Problem {
  static let noDevice = Problem(.deviceNotFound, "No device of this id has reported.")
}
