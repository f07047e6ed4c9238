import CarillonModel
import CarillonPlanner

extension NaivePlanner {
  enum Place {
    case at(Int64, [Move])
    case nowhere(WithheldRequest.Reason)
  }

  mutating func placeAll() {
    moving.sort { left, right in
      if left.priority != right.priority { return left.priority < right.priority }
      return left.wish != right.wish ? left.wish! < right.wish! : Self.precedes(left.id, right.id)
    }
    var waiting = moving.map { request in
      var request = request
      request.digestEnd = digestEnd(request)
      return request
    }
    while let first = waiting.first {
      let members = digestMembers(with: first, among: waiting)
      if members.count < 2 {
        place(first)
        waiting.removeFirst()
      } else {
        let outcome = placeDigest(members)
        waiting.removeAll { outcome.settled.contains($0.id) }
        for index in waiting.indices where outcome.alone.contains(waiting[index].id) {
          waiting[index].digestEnd = nil
        }
      }
    }
  }

  mutating func place(_ request: Request) {
    switch search(from: request.wish!, request) {
    case .nowhere(let reason):
      request.wish! > now ? withhold(request.id, reason) : expire(request.id, request.wish!)
    case .at(let time, _) where isPast(request.head.expiresAt, time): expire(request.id, request.wish!)
    case .at(let time, let moves) where time > now: take(request, time, moves)
    case .at: deliver(request)
    }
  }

  /// Its time has passed: as soon as may be, where it is still wanted.
  private mutating func deliver(_ overdue: Request) {
    var request = overdue
    let wish = request.wish!
    guard isWantedLate(request) else { return expire(request.id, wish) }
    let time: Int64
    var moves: [Move]
    switch search(from: due, request) {
    case .nowhere(let reason): return withhold(request.id, reason)
    case .at(let found, let path): (time, moves) = (found, path)
    }
    if isPast(request.head.expiresAt, time) { return expire(request.id, wish) }
    if time == due {
      request.trigger = .instant(Instant(milliseconds: due))
      request.moves = [move("overdue", wish, due)]
      request.fire = due
      count(due, request.type.name)
      requests.append(request)
    } else {
      moves[0].from = Instant(milliseconds: wish)
      take(request, time, moves)
    }
  }

  func isWantedLate(_ request: Request) -> Bool {
    request.head.overdue == .deliverNow && request.head.expiresAt.map { $0 > input.now } ?? true
  }

  /// The next whole second.
  var due: Int64 { (nowSeconds + 1) * 1000 }

  private mutating func take(_ wished: Request, _ time: Int64, _ moves: [Move]) {
    var request = wished
    request.moves = moves
    request.fire = time
    if time != request.wish { request.trigger = movedTrigger(request.head, time) }
    count(time, request.type.name)
    requests.append(request)
  }

  func movedTrigger(_ head: NotificationHead, _ time: Int64) -> Trigger {
    let keepsWall =
      switch head.trigger {
      case .local: true
      case .calendar(let trigger): trigger.timeZone == nil
      default: false
      }
    if keepsWall, time % 1000 == 0 {
      let wall = clock.wall(at: time / 1000)
      if clock.isUnique(wall) { return .local(LocalDateTime(wallSeconds: wall)) }
    }
    return .instant(Instant(milliseconds: time))
  }

  func move(_ rule: String, _ from: Int64, _ to: Int64) -> Move {
    Move(by: rule, from: Instant(milliseconds: from), to: Instant(milliseconds: to))
  }

  /// The earliest time at or after a wish that is in no quiet window and breaks no cap.
  mutating func search(from wish: Int64, _ request: Request) -> Place {
    let isExempt = isExempt(request.head)
    var time = wish
    var moves: [Move] = []
    while time - wish <= Self.patience {
      if !isExempt, request.type.quietHours != .ring, case let end = quietEnd(time), end != time {
        guard request.type.quietHours == .hold else { return .nowhere(.quietHours) }
        moves.append(move("quietHours", time, end))
        time = end
      }
      guard !isExempt, !request.type.capExempt, isCapped(time, request) else { return .at(time, moves) }
      guard request.type.cap == .hold else { return .nowhere(.capped) }
      let start = time
      repeat {
        guard let next = nextChance(after: time, request.type), next - start <= Self.patience else {
          return .nowhere(.capped)
        }
        time = next
      } while isCapped(time, request)
      moves.append(move("frequencyCaps", start, time))
    }
    return .nowhere(.capped)
  }

  func isExempt(_ head: NotificationHead) -> Bool {
    (policy.quietHours ?? QuietHours()).exempt.contains(effectiveLevel(head))
  }

  // MARK: Quiet windows

  /// The first instant at or after `time` that no window holds.
  func quietEnd(_ time: Int64) -> Int64 {
    var end = time
    while let span = quietSpans(around: end).first(where: { $0.contains(end) }) { end = span.upperBound }
    return end
  }

  private func quietSpans(around time: Int64) -> [Range<Int64>] {
    guard let windows = policy.quietHours?.windows else { return [] }
    var spans: [Range<Int64>] = []
    let today = clock.day(at: Instant(milliseconds: time).seconds)
    for window in windows {
      for day in (today - 2)...(today + 1)
      where window.days.contains(CivilDate(daysSinceEpoch: day).weekday) {
        let lastDay = window.to > window.from ? day : day + 1
        let start = clock.earliest(of: Int64(day) * 86_400 + Int64(window.from))
        let end = clock.latest(of: Int64(lastDay) * 86_400 + Int64(window.to))
        if start < end { spans.append(start * 1000..<end * 1000) }
      }
    }
    return spans
  }
}
