import CarillonModel
import CarillonPlanner
import CarillonZones

extension FakeTenant {
  /// Of one entry between two looks.
  private static let mostFires = 100
  /// Of one device.
  private static let mostDeliveries = 1_000

  /// Whose inbox a device shows: its user's, or its own.
  private func owner(of device: DeviceID) -> String {
    devices[device]?.info.userId.map { "user \($0)" } ?? "device \(device.text)"
  }

  func inbox(of device: DeviceID) -> FakeInbox { inboxes[owner(of: device)] ?? FakeInbox() }

  mutating func setInbox(_ inbox: FakeInbox, of device: DeviceID) { inboxes[owner(of: device)] = inbox }

  /// A first user takes over what the device has.
  mutating func signIn(_ device: DeviceID) {
    guard devices[device]?.info.userId != nil else { return }
    let own = "device \(device.text)"
    guard let items = inboxes.removeValue(forKey: own) else { return }
    var inbox = inbox(of: device)
    inbox.merge(items)
    setInbox(inbox, of: device)
  }

  /// Takes into the inbox what came due since the last look, whether the device could show it or not, and notes what it
  /// held and could show.
  mutating func receive(_ id: DeviceID, at now: Instant) {
    guard let device = devices[id] else { return }
    var inbox = inbox(of: id)
    let planning = planningDevice(device)
    let canShow = [.authorized, .provisional, .ephemeral].contains(device.status)
    let held = Set(device.plan.held.map(\.source))
    if canShow { noteRung(device.plan, since: device.lookedAt, on: id, at: now) }
    for entry in device.queue.values {
      let head = entry.notification.head
      let outcome: DeliveryOutcome =
        !canShow ? .suppressed : held.contains(head.id) ? .inferredDelivered : .missed
      var last = max(device.lookedAt ?? entry.acceptedAt, entry.acceptedAt)
      for _ in 0..<Self.mostFires {
        let fire = Planner.firstFire(
          of: head, acceptedAt: entry.acceptedAt, now: last, device: planning, zones: zones)
        guard let fire, fire > last, fire <= now else { break }
        if outcome == .inferredDelivered { devices[id]?.delivered.insert(head.id) }
        last = fire
        guard head.inbox else { continue }
        inbox.take(
          InboxKey(notification: head.id, wishedAt: fire),
          type: CompiledPolicy(policy).type(of: head.id, named: head.type).name,
          content: entry.notification.content.canonicalBytes, outcome: outcome)
      }
    }
    devices[id]?.lookedAt = now
    setInbox(inbox, of: id)
  }

  /// What was held and came due counts towards caps.
  private mutating func noteRung(_ plan: Plan, since last: Instant?, on id: DeviceID, at now: Instant) {
    let rung = plan.held.compactMap { held -> PastDelivery? in
      guard let fire = held.fireAt, fire <= now, last.map({ fire > $0 }) ?? true else { return nil }
      return PastDelivery(id: held.id, type: held.type, at: fire)
    }
    guard !rung.isEmpty else { return }
    let all = (devices[id]?.history ?? []) + rung
    devices[id]?.history = Array(all.suffix(Self.mostDeliveries))
  }
}
