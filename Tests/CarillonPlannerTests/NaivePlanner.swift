import CarillonModel
import CarillonPlanner

/// A second planner, written to be seen to be right: it scans times minute by minute, compares everything with
/// everything, and keeps no index of any kind. It knows the triggers of ``RandomWorld`` only.
struct NaivePlanner {
  static let day: Int64 = 86_400
  /// How far it is willing to scan for a place.
  static let patience: Int64 = 4 * day

  let input: PlanInput
  let policy: Policy
  let zone: ZoneTable
  let now: Int64
  var plan = Plan()
  /// The scan was given up: the world is of no use for comparing.
  var gaveUp = false

  struct Request {
    var head: NotificationHead
    var id: NotificationID
    var type: NotificationType
    /// Seconds; nil for a location.
    var fire: Int64?
    var repeats = false
    var isOccurrence = false
    var trigger: Trigger
    var moves: [Move] = []
    var digestCount: Int?
    var slot: HeldRequest.Slot?
    var isAtLimit = false
    var distance = Double.infinity

    var mayMove: Bool { fire != nil && !repeats && !isOccurrence }
  }

  var requests: [Request] = []
  var digested: [(request: Request, digest: NotificationID)] = []
  /// Seconds and type name of all that counts against caps.
  var counted: [(at: Int64, type: String)] = []
  var quietSpans: [Range<Int64>] = []

  init(_ input: PlanInput) {
    self.input = input
    policy = input.policy.policy
    zone = input.device.zone
    now = input.now.seconds
  }

  // MARK: Base fires

  func instantOf(_ wall: Int64) -> Int64 { zone.fire(of: LocalDateTime(wallSeconds: wall)).seconds }
  func isUnique(_ wall: Int64) -> Bool {
    if case .unique = zone.reading(of: LocalDateTime(wallSeconds: wall)) { true } else { false }
  }
  func wallOf(_ at: Int64) -> Int64 { zone.local(at: Instant(seconds: at)).wallSeconds }
  func dayOf(_ at: Int64) -> Int64 { (wallOf(at) + 1000 * Self.day) / Self.day - 1000 }

  /// All fires after now for half a year, as instants and wall times.
  func chain(_ trigger: CalendarTrigger) -> [(at: Int64, wall: Int64)] {
    let time = Int64(trigger.components.hour ?? 0) * 3600 + Int64(trigger.components.minute ?? 0) * 60
    var fires: [(at: Int64, wall: Int64)] = []
    for day in (dayOf(now) - 40)..<(dayOf(now) + 190) where isDay(day, trigger) {
      let wall = day * Self.day + time
      let at = instantOf(wall)
      if case .date(let start) = trigger.startsAt, at < instantOf(start.wallSeconds) { continue }
      if case .date(let end) = trigger.endsAt, at >= instantOf(end.wallSeconds) { continue }
      if at > now { fires.append((at, wall)) }
    }
    return fires
  }

  private func isDay(_ day: Int64, _ trigger: CalendarTrigger) -> Bool {
    let date = CivilDate(daysSinceEpoch: Int(day))
    if let weekday = trigger.components.weekday { return date.weekday == weekday }
    guard let wanted = trigger.components.day else { return true }
    let length = CivilDate.daysInMonth(date.month, ofYear: date.year)
    if date.day == wanted { return true }
    switch trigger.onMissingDay {
    case .skip: return false
    case .lastDay: return wanted > length && date.day == length
    case .nextDay:
      let before = CivilDate(daysSinceEpoch: Int(day) - 1)
      return date.day == 1 && wanted > before.day
    }
  }

  mutating func gather() {
    for entry in input.queue {
      let head = entry.head
      let type = input.policy.type(of: head.id, named: head.type)
      var request = Request(head: head, id: head.id, type: type, trigger: head.trigger)
      switch head.trigger {
      case .instant(let at): once(&request, at.seconds)
      case .local(let local):
        if !isUnique(local.wallSeconds) {
          request.trigger = .instant(Instant(seconds: instantOf(local.wallSeconds)))
        }
        once(&request, instantOf(local.wallSeconds))
      case .interval(let trigger):
        var at = (trigger.anchor ?? entry.acceptedAt).seconds + Int64(trigger.seconds)
        while trigger.repeats, at <= now { at += Int64(trigger.seconds) }
        guard trigger.repeats else {
          once(&request, at)
          continue
        }
        let fires = stride(from: at, to: now + 190 * Self.day, by: Int(trigger.seconds)).prefix(400)
        repeating(&request, Array(fires))
      case .calendar(let trigger): calendar(&request, trigger)
      case .location(let trigger):
        if let expiry = head.expiresAt, expiry.seconds <= now {
          plan.expired.append(ExpiredRequest(id: head.id, fireAt: expiry))
        } else {
          request.distance = trigger.distance ?? .infinity
          add(request)
        }
      case .recurrence: preconditionFailure("not in these worlds")
      }
    }
  }

  private mutating func once(_ request: inout Request, _ at: Int64) {
    request.fire = at
    if at <= now {
      guard request.head.overdue == .deliverNow, request.head.expiresAt.map({ $0.seconds > now }) ?? true
      else {
        plan.expired.append(ExpiredRequest(id: request.id, fireAt: Instant(seconds: at)))
        return
      }
      request.fire = now + 1
      request.trigger = .instant(Instant(seconds: now + 1))
      request.moves = [Move(by: "overdue", from: Instant(seconds: at), to: Instant(seconds: now + 1))]
    }
    add(request)
  }

  private mutating func repeating(_ request: inout Request, _ fires: [Int64]) {
    request.fire = fires[0]
    request.repeats = true
    if add(request) { count(request, fires) }
  }

  private mutating func count(_ request: Request, _ fires: [Int64]) {
    for fire in fires where fire <= request.head.expiresAt?.seconds ?? .max {
      counted.append((fire, request.type.name))
    }
  }

  private mutating func calendar(_ request: inout Request, _ trigger: CalendarTrigger) {
    let fires = chain(trigger)
    guard let first = fires.first else {
      guard case .date(let end) = trigger.endsAt else {
        preconditionFailure("every chain here goes on or ends")
      }
      plan.expired.append(
        ExpiredRequest(id: request.id, fireAt: Instant(seconds: instantOf(end.wallSeconds))))
      return
    }
    var natural = trigger
    natural.startsAt = nil
    let needsExpanding =
      trigger.endsAt != nil || chain(natural)[0].at != first.at || trigger.components.day ?? 0 > 28
    guard needsExpanding else { return repeating(&request, fires.map(\.at)) }
    let horizon = now + Int64(policy.horizonDays) * Self.day
    var taken = fires.filter { $0.at <= horizon }.prefix(64)
    if taken.isEmpty { taken = fires.prefix(1) }
    var isHeld = false
    for fire in taken {
      var occurrence = request
      let local = LocalDateTime(wallSeconds: fire.wall)
      let stamp = local.text.filter { $0 != "-" && $0 != ":" }
      occurrence.id = NotificationID(unchecked: "\(request.id.text)@\(stamp)")
      occurrence.fire = fire.at
      occurrence.isOccurrence = true
      occurrence.trigger = isUnique(fire.wall) ? .local(local) : .instant(Instant(seconds: fire.at))
      if add(occurrence, reports: fire.at == first.at) { isHeld = true }
    }
    if isHeld { count(request, fires.map(\.at)) }
    if taken.count < fires.count {
      let midnight = dayOf(horizon) * Self.day
      let cut = min(instantOf(midnight), fires[taken.count].at)
      plan.refreshBy = [plan.refreshBy, Instant(seconds: cut)].compactMap(\.self).min()
    }
  }

  /// - Returns: whether it can compete for a slot.
  @discardableResult
  private mutating func add(_ request: Request, reports: Bool = true) -> Bool {
    if let fire = request.fire, let expiry = request.head.expiresAt, fire > expiry.seconds {
      if reports, !request.isOccurrence {
        plan.expired.append(ExpiredRequest(id: request.id, fireAt: Instant(seconds: fire)))
      }
      return false
    }
    let reason: WithheldRequest.Reason? =
      switch input.device.authorizationStatus {
      case .denied: .denied
      case .notDetermined: .notDetermined
      case .unknown: .unknownStatus
      default: reach(request.head) == .none && policy.unreachable == .withhold ? .unreachable : nil
      }
    if let reason {
      if !plan.withheld.contains(where: { $0.id == request.head.id }) {
        plan.withheld.append(WithheldRequest(id: request.head.id, reason: reason))
      }
      return false
    }
    requests.append(request)
    return true
  }

  /// For devices that either allow everything or allow no sound and no alert.
  func reach(_ head: NotificationHead) -> Reach {
    let silent = input.device.settings.alert == .disabled
    let (text, sound, badge) = (head.summary.hasText, head.summary.hasSound, head.summary.hasBadge)
    if input.device.authorizationStatus == .provisional {
      return text || sound ? .quiet : badge ? .badgeOnly : .none
    }
    if sound, !silent { return .audible }
    if text { return silent ? .quiet : .visible }
    return badge ? .badgeOnly : .none
  }

  static func precedes(_ left: NotificationID, _ right: NotificationID) -> Bool {
    Array(left.text.utf8).lexicographicallyPrecedes(Array(right.text.utf8))
  }
}
