import CarillonAPI
import CarillonClient
import CarillonJSON
import CarillonModel

/// The inbox and the way to permission.
extension FakeRoutes {
  func inbox(
    _ device: DeviceID, _ page: PageRequest, _ state: InboxState, _ tenant: inout FakeTenant
  ) throws(Problem) -> [UInt8] {
    try check(device, tenant)
    tenant.receive(device, at: now)
    var items = tenant.inbox(of: device).list(state, at: now)
    if let place = page.cursor?.inboxPlace {
      items.removeAll { item in
        (item.shown.at, item.key.notification, item.key.wishedAt)
          >= (place.at, place.key.notification, place.key.wishedAt)
      }
    }
    let shown = items.prefix(page.limit)
    let next = items.count > page.limit ? shown.last.map { Cursor(inboxAt: $0.shown.at, $0.key).text } : nil
    var writer = JSONWriter()
    InboxPage(
      items: shown.map(\.shown), nextCursor: next, unread: tenant.inbox(of: device).unread(at: now)
    ).write(to: &writer)
    return writer.bytes
  }

  func mark(
    _ device: DeviceID, _ mark: Route.InboxMark, _ body: [UInt8], _ tenant: inout FakeTenant
  ) throws(Problem) -> [UInt8] {
    try check(device, tenant)
    let request: ReceivedInboxMark
    do { request = try ReceivedInboxMark(body, mark: mark) } catch { throw Problem(error) }
    tenant.receive(device, at: now)
    var inbox = tenant.inbox(of: device)
    inbox.mark(mark, request, at: now)
    tenant.setInbox(inbox, of: device)
    return UnreadCount(inbox.unread(at: now)).json
  }

  func priming(
    _ id: DeviceID, _ body: [UInt8], _ tenant: FakeTenant
  ) throws(Problem) -> [UInt8] {
    try check(id, tenant)
    let question: PrimingQuestion
    do { question = try PrimingQuestion(body) } catch { throw Problem(error) }
    let device = tenant.devices[id] ?? FakeTenant.Device()
    return tenant.policy.priming.decide(
      question, facts: device.priming, status: device.status, settings: device.settings, now: now
    ).json
  }

  /// What a report says of the way to permission.
  func primed(
    by report: SyncRequest, _ device: inout FakeTenant.Device, _ rule: PrimingRule
  ) -> PrimingDecision {
    let delivered = device.delivered
    let priming = PrimingReport(
      report, facts: device.priming, known: device.events, status: device.status, now: now
    ) { event in
      // Its own id, or that of one of its occurrences.
      let id = event.notification?.text ?? ""
      return delivered.contains { $0.text == id || id.hasPrefix($0.text + "@") }
    }
    device.events.formUnion(report.events.map(\.id))
    device.priming = priming.facts
    return rule.decide(
      priming.question, facts: priming.facts, status: device.status, settings: device.settings, now: now)
  }

  private func check(_ device: DeviceID, _ tenant: FakeTenant) throws(Problem) {
    guard tenant.devices[device] != nil else {
      throw Problem(.deviceNotFound, "No device of this id has reported or has notifications.")
    }
  }
}
