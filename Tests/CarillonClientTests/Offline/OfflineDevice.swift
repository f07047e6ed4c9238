import CarillonModel
import CarillonPlanner
import CarillonTesting
import CarillonZones

@testable import CarillonClient

/// A device out of reach of its server, as values: what it knows and holds, and what it makes of them.
struct OfflineDevice {
  /// 2026-11-30T10:00:00Z
  static let now = TestDevice.start
  static let zones: ZoneFolder = {
    do {
      return try ZoneFolder()
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  var state = ClientState(deviceId: DeviceID(UUID128(high: 1, low: 1)))
  var pending: [CenterRequest] = []
  var delivered: [DeliveredNotification] = []
  var now = Self.now
  var settings = CenterSettings.everythingEnabled
  var timeZone = "Europe/Madrid"

  init() { state.zoneData = "old" }

  func plan() -> LocalPlan {
    let device = PlanningDevice(
      authorizationStatus: settings.authorizationStatus, settings: settings.settings,
      zone: Self.zones.zone(named: timeZone) ?? .utc)
    return LocalPlan(
      state, on: DeviceMoment(device: device, pending: pending, delivered: delivered, now: now),
      zones: Self.zones)
  }

  // MARK: What it knows

  /// A request as the server would have planned it, held.
  mutating func hold(
    _ id: String, _ trigger: Trigger, fireAt: Instant? = nil, badge: Int? = nil, type: String? = nil,
    source: NotificationID? = nil
  ) {
    var content = NotificationContent(title: id)
    content.badge = badge
    let addition = SyncAddition(
      id: NotificationID(unchecked: id),
      revision: Revision.text(trigger: trigger, summary: content.summary, badge: badge), fireAt: fireAt,
      trigger: trigger, content: content.canonicalBytes, type: type, source: source)
    state.plan.append(addition)
    show(addition)
  }

  mutating func hold(_ id: String, after seconds: Int64, badge: Int? = nil, type: String? = nil) {
    let fire = Self.now.adding(seconds: seconds)
    hold(id, .instant(fire), fireAt: fire, badge: badge, type: type)
  }

  /// Puts a planned request into the center.
  mutating func show(_ addition: SyncAddition) {
    pending.removeAll { $0.id == addition.id }
    guard case .request(let request) = PlannedAddition(addition).prepared(at: now) else { return }
    pending.append(request)
  }

  /// The app's own, or one of ours that nobody knows any more.
  mutating func show(_ id: String, revision: String? = nil) {
    let request = CenterRequest(
      id: NotificationID(unchecked: id), content: NotificationContent(title: id),
      trigger: .interval(seconds: 86_400, repeats: true))
    pending.append(revision.map { request.marked(revision: $0) } ?? request)
  }

  mutating func setPolicy(_ text: String) {
    state.policy = SyncPolicy(version: 1, document: Array(text.utf8))
  }

  // MARK: What the app asks for

  mutating func put(_ notification: CarillonModel.Notification) { state.outbox.append(.put(notification)) }

  mutating func put(_ id: String, after seconds: Int64) { put(reminder(id, after: seconds)) }

  mutating func cancel(_ id: String) { state.outbox.append(.cancel(NotificationID(unchecked: id))) }

  /// Does what a plan says.
  mutating func apply(_ plan: LocalPlan) {
    state = plan.state
    pending.removeAll { plan.remove.contains($0.id) }
    for addition in plan.held where plan.add.contains(where: { $0.id == addition.id }) { show(addition) }
  }
}

extension LocalPlan {
  var added: [String] { add.map(\.id.text) }
  var removed: [String] { remove.map(\.text) }
  var isEmpty: Bool { add.isEmpty && remove.isEmpty }

  subscript(id: String) -> SyncAddition? { held.first { $0.id.text == id } }
}
