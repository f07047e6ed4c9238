import CarillonModel
import CarillonPlanner

extension NaivePlanner {
  mutating func place() {
    guard policy.quietHours != nil || !policy.frequencyCaps.isEmpty else { return }
    quietSpans = findQuietSpans()
    // Nothing further off can matter to a place within the patience.
    counted.removeAll { $0.at > now + 30 * Self.day }
    for past in input.history { counted.append((past.at.seconds, typeName(past.type))) }
    let moving = requests.filter(\.mayMove).sorted { left, right in
      if left.type.priority != right.type.priority { return left.type.priority < right.type.priority }
      if left.fire != right.fire { return left.fire! < right.fire! }
      return Self.precedes(left.id, right.id)
    }
    requests.removeAll(where: \.mayMove)
    var done: Set<NotificationID> = []
    for request in moving where !done.contains(request.id) {
      var members = [request]
      if let end = digestEnd(request) {
        members = moving.filter { $0.head.group == request.head.group && digestEnd($0) == end }
        done.formUnion(members.map(\.id))
      }
      place(request, members)
    }
  }

  private func typeName(_ name: String) -> String {
    (policy.types ?? []).contains { $0.name == name } ? name : "unknown"
  }

  private mutating func place(_ request: Request, _ members: [Request]) {
    var placed = request
    var time = request.fire!
    let isDigest = members.count > 1
    if isDigest {
      time = digestEnd(request)!
      placed.moves.append(move("quietHours", request.fire!, time))
      let stamp = LocalDateTime(wallSeconds: wallOf(time)).text.filter { $0 != "-" && $0 != ":" }
      placed.id = NotificationID(unchecked: "digest.\(request.head.group!)@\(stamp)")
      placed.digestCount = members.count
    }
    let exempt = isExempt(request)
    while true {
      if !exempt, request.type.quietHours != .ring, isQuiet(time) {
        guard request.type.quietHours == .hold else { return withhold(members, .quietHours) }
        let start = time
        repeat {
          time = later(time)
          if time > start + Self.patience {
            gaveUp = true
            return
          }
        } while isQuiet(time)
        placed.moves.append(move("quietHours", start, time))
      }
      guard !exempt, !request.type.capExempt, isCapped(time, request.type) else { break }
      guard request.type.cap == .hold else { return withhold(members, .capped) }
      let start = time
      repeat {
        time = later(time)
        if time > start + Self.patience {
          gaveUp = true
          return
        }
      } while isCapped(time, request.type)
      placed.moves.append(move("frequencyCaps", start, time))
    }
    if !isDigest, let expiry = request.head.expiresAt, time > expiry.seconds {
      plan.expired.append(ExpiredRequest(id: request.id, fireAt: Instant(seconds: request.fire!)))
      return
    }
    counted.append((time, request.type.name))
    placed.fire = time
    if placed.fire != request.fire { placed.trigger = movedTrigger(request, time) }
    requests.append(placed)
    if isDigest { digested += members.map { ($0, placed.id) } }
  }

  private mutating func withhold(_ members: [Request], _ reason: WithheldRequest.Reason) {
    plan.withheld += members.map { WithheldRequest(id: $0.id, reason: reason) }
  }

  /// All that happens here happens on a full minute or a second after it.
  private func later(_ time: Int64) -> Int64 { time % 60 == 0 ? time + 1 : time + 60 - time % 60 }

  private func move(_ rule: String, _ from: Int64, _ to: Int64) -> Move {
    Move(by: rule, from: Instant(seconds: from), to: Instant(seconds: to))
  }

  private func movedTrigger(_ request: Request, _ time: Int64) -> Trigger {
    if case .local = request.head.trigger, isUnique(wallOf(time)) {
      return .local(LocalDateTime(wallSeconds: wallOf(time)))
    }
    return .instant(Instant(seconds: time))
  }

  private func isExempt(_ request: Request) -> Bool {
    let level = request.head.summary.interruptionLevel
    let isAllowed = level != .timeSensitive || input.device.settings.timeSensitive == .enabled
    return level != .critical && isAllowed && (policy.quietHours ?? QuietHours()).exempt.contains(level)
  }

  func isQuiet(_ time: Int64) -> Bool { quietSpans.contains { $0.contains(time) } }

  /// The spans of all windows on all days that can matter.
  func findQuietSpans() -> [Range<Int64>] {
    var spans: [Range<Int64>] = []
    for window in policy.quietHours?.windows ?? [] {
      for day in (dayOf(now) - 3)...(dayOf(now) + 30)
      where window.days.contains(CivilDate(daysSinceEpoch: Int(day)).weekday) {
        let lastDay = window.to > window.from ? day : day + 1
        let start = first(day * Self.day + Int64(window.from))
        let end = last(lastDay * Self.day + Int64(window.to))
        if start < end { spans.append(start..<end) }
      }
    }
    return spans
  }

  private func first(_ wall: Int64) -> Int64 {
    switch zone.reading(of: LocalDateTime(wallSeconds: wall)) {
    case .unique(let at), .twice(let at, _), .skipped(let at, _): at.seconds
    }
  }

  private func last(_ wall: Int64) -> Int64 {
    switch zone.reading(of: LocalDateTime(wallSeconds: wall)) {
    case .unique(let at), .twice(_, let at), .skipped(let at, _): at.seconds
    }
  }

  private func isCapped(_ time: Int64, _ type: NotificationType) -> Bool {
    policy.frequencyCaps.contains { cap in
      guard cap.types?.contains(type.name) ?? true else { return false }
      func counts(_ type: String) -> Bool { cap.types?.contains(type) ?? true }
      switch cap.per {
      case .calendarDay:
        let day = dayOf(time)
        return counted.count { abs($0.at - time) < 2 * Self.day && counts($0.type) && dayOf($0.at) == day }
          >= cap.limit
      case .rolling(let seconds):
        let near = counted.filter { abs($0.at - time) < Int64(seconds) && counts($0.type) }.map(\.at) + [time]
        if near.count <= cap.limit { return false }
        // Some window that starts at one of them and holds the new one holds too many.
        return near.contains { start in
          start <= time && time < start + Int64(seconds)
            && near.count { $0 >= start && $0 < start + Int64(seconds) } > cap.limit
        }
      }
    }
  }

  /// When a window brings a member of a digest together with another; nil when it is alone.
  private func digestEnd(_ request: Request) -> Int64? {
    guard let end = windowEnd(request) else { return nil }
    let others = input.queue.count { entry in
      entry.head.group == request.head.group && isGathered(entry) && windowEnd(asRequest(entry)) == end
    }
    return others > 1 ? end : nil
  }

  private func isGathered(_ entry: QueueEntry) -> Bool {
    reach(entry.head) != .none || policy.unreachable == .hold
  }

  private func asRequest(_ entry: QueueEntry) -> Request? {
    let type = input.policy.type(of: entry.head.id, named: entry.head.type)
    var request = Request(head: entry.head, id: entry.head.id, type: type, trigger: entry.head.trigger)
    switch entry.head.trigger {
    case .instant(let at): request.fire = at.seconds
    case .local(let local): request.fire = instantOf(local.wallSeconds)
    default: return nil
    }
    if request.fire! <= now {
      guard entry.head.overdue == .deliverNow, entry.head.expiresAt.map({ $0.seconds > now }) ?? true else {
        return nil
      }
      request.fire = now + 1
    }
    if let expiry = entry.head.expiresAt, request.fire! > expiry.seconds { return nil }
    return request
  }

  private func windowEnd(_ request: Request?) -> Int64? {
    guard let request, request.type.digest, request.type.quietHours == .hold, request.head.group != nil,
      !isExempt(request), let fire = request.fire, isQuiet(fire)
    else { return nil }
    var end = fire
    repeat { end = later(end) } while isQuiet(end) && end < fire + Self.patience
    if let expiry = request.head.expiresAt, end > expiry.seconds { return nil }
    return end
  }
}
