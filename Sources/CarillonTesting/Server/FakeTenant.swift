import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonZones

/// What a tenant has, kept in memory.
struct FakeTenant {
  struct Entry {
    var notification: Notification
    var acceptedAt: Instant
  }

  /// A policy that was put, and when.
  struct PutPolicy {
    var policy: Policy
    var createdAt: Instant
  }

  struct Device {
    var createdAt: Instant?
    var seenAt: Instant?
    var sequence: Int64 = -1
    var info = DeviceInfo()
    var status = AuthorizationStatus.notDetermined
    var settings = NotificationSettings()
    var pending: [PendingRequest]?
    var foreign = ForeignRequests()
    var queue: [NotificationID: Entry] = [:]
    var plan = Plan()
    var sent: Set<NotificationID> = []
    /// By device key: who else came with this id, and the id they got.
    var forks: [String: DeviceID] = [:]
    var priming = PrimingFacts()
    /// Ids of events it has told.
    var events: Set<String> = []
    /// What came due by then is in the inbox.
    var lookedAt: Instant?
    /// What came due while it was held and could be shown, by the queue's ids.
    var delivered: Set<NotificationID> = []
    /// What rang, for caps; the newest.
    var history: [PastDelivery] = []
  }

  var credentials = FakeCredentials()
  var devices: [DeviceID: Device] = [:]
  /// From version 1 on.
  var policies: [PutPolicy] = []
  var policy: Policy { policies.last?.policy ?? Policy() }
  var policyVersion: Int { policies.count }
  /// By whose they are.
  var inboxes: [String: FakeInbox] = [:]
  let zones = FireDates.systemZones

  mutating func setPolicy(_ policy: Policy, at now: Instant) {
    policies.append(PutPolicy(policy: policy, createdAt: now))
  }

  /// - Returns: whether it changed anything.
  mutating func put(_ notification: Notification, for device: DeviceID, at now: Instant) -> BatchResult.Status
  {
    if let entry = devices[device]?.queue[notification.head.id], entry.notification == notification,
      !isOver(entry, for: device, at: now)
    {
      return .unchanged
    }
    devices[device, default: Device(createdAt: now)].queue[notification.head.id] = Entry(
      notification: notification, acceptedAt: now)
    return .stored
  }

  /// Whether the time of what rings once has passed, and would be to come if it were put now.
  private func isOver(_ entry: Entry, for id: DeviceID, at now: Instant) -> Bool {
    let head = entry.notification.head
    switch head.trigger {
    case .interval(let trigger) where trigger.repeats || trigger.anchor != nil: return false
    case .calendar(let trigger) where trigger.repeats: return false
    case .instant, .local, .recurrence, .location: return false
    case .interval, .calendar: break
    }
    let device = planningDevice(devices[id] ?? Device())
    func fire(acceptedAt: Instant) -> Instant? {
      Planner.firstFire(of: head, acceptedAt: acceptedAt, now: now, device: device, zones: zones)
    }
    guard let old = fire(acceptedAt: entry.acceptedAt), let new = fire(acceptedAt: now) else { return false }
    return old <= now && new > now
  }

  mutating func cancel(_ id: NotificationID, for device: DeviceID) -> BatchResult.Status {
    devices[device]?.queue.removeValue(forKey: id) == nil ? .unchanged : .cancelled
  }

  func planningDevice(_ device: Device) -> PlanningDevice {
    PlanningDevice(
      authorizationStatus: device.status, settings: device.settings,
      zone: device.info.timeZone.flatMap { zones.zone(named: $0) } ?? .utc,
      firstWeekday: device.info.firstWeekday ?? 1,
      minimumDaysInFirstWeek: device.info.minimumDaysInFirstWeek ?? 1)
  }

  /// Plans a device from what is known of it, and takes the plan for sent.
  mutating func makePlan(for id: DeviceID, at now: Instant) -> PlanResult {
    receive(id, at: now)
    var device = devices[id] ?? Device()
    var result = Planner.plan(planInput(for: id, at: now), zones: zones)
    result.plan.version = device.plan.version
    if result.plan != device.plan { result.plan.version += 1 }
    device.plan = result.plan
    device.sent = Set(result.plan.held.map(\.id))
    devices[id] = device
    return result
  }

  /// - Parameter trial: in place of the policy in force.
  func planInput(for id: DeviceID, at now: Instant, under trial: Policy? = nil) -> PlanInput {
    let device = devices[id] ?? Device()
    var input = PlanInput(
      policy: CompiledPolicy(trial ?? policy), policyVersion: policyVersion, device: planningDevice(device),
      now: now)
    input.unread = inbox(of: id).unread(at: now)
    input.queue = device.queue.values.map {
      QueueEntry(head: $0.notification.head, acceptedAt: $0.acceptedAt)
    }
    input.sent = device.sent
    input.pending = device.pending
    input.foreign = device.foreign
    input.history = device.history
    return input
  }
}
