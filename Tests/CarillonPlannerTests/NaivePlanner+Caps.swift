import CarillonModel
import CarillonPlanner

extension NaivePlanner {
  mutating func count(_ time: Int64, _ type: String) {
    if policy.frequencyCaps.isEmpty { return }
    counted.insert((time, type), at: firstCounted(after: time))
  }

  /// Counts what repeats as far as any cap looks from `time`, and some months more.
  private mutating func countRepeating(around time: Int64) {
    let longest = policy.frequencyCaps.map { cap -> Int64 in
      if case .rolling(let seconds) = cap.per { Int64(seconds) } else { 2 * 86_400 }
    }
    let until = time / 1000 + (longest.max() ?? 0)
    guard until > countedUntil else { return }
    let far = until + 120 * 86_400
    for repeater in repeaters {
      counted += repeater.fires(countedUntil, far).map { ($0, repeater.type) }
    }
    counted.sort { $0.at < $1.at }
    countedUntil = far
  }

  private func firstCounted(after time: Int64) -> Int {
    var (low, high) = (0, counted.count)
    while low < high {
      let middle = (low + high) / 2
      if counted[middle].at > time { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Those in the open interval that a cap counts.
  private func counted(_ cap: FrequencyCap, after: Int64, before: Int64) -> [Int64] {
    var times: [Int64] = []
    var index = firstCounted(after: after)
    while index < counted.count, counted[index].at < before {
      if concerns(cap, counted[index].type) { times.append(counted[index].at) }
      index += 1
    }
    return times
  }

  func concerns(_ cap: FrequencyCap, _ type: String) -> Bool { cap.types?.contains(type) ?? true }

  private func limit(_ cap: FrequencyCap, _ priority: Int) -> Int {
    guard let rule = policy.fatigue, isTired(priority) else { return cap.limit }
    return min(cap.limit, max(1, Int(Double(cap.limit) * rule.capScale)))
  }

  /// Whether one more at `time` would be one too many.
  mutating func isCapped(_ time: Int64, _ request: Request) -> Bool {
    if policy.frequencyCaps.isEmpty { return false }
    countRepeating(around: time)
    return policy.frequencyCaps.contains { cap in
      guard concerns(cap, request.type.name) else { return false }
      let limit = limit(cap, request.priority)
      switch cap.per {
      case .calendarDay:
        let day = localDay(time)
        let near = counted(cap, after: time - 2 * Self.dayLength, before: time + 2 * Self.dayLength)
        return near.count { localDay($0) == day } >= limit
      case .rolling(let seconds):
        let length = Int64(seconds) * 1000
        let near = counted(cap, after: time - length, before: time + length) + [time]
        // The fullest windows begin with one of them.
        return near.contains { start in
          start <= time && time < start + length
            && near.count { $0 >= start && $0 < start + length } > limit
        }
      }
    }
  }

  private func localDay(_ time: Int64) -> Int { clock.day(at: Instant(milliseconds: time).seconds) }

  /// The next time at which room may come: one that counts leaves a window, or a day begins.
  func nextChance(after time: Int64, _ type: NotificationType) -> Int64? {
    let chances = policy.frequencyCaps.filter { concerns($0, type.name) }.compactMap { cap -> Int64? in
      switch cap.per {
      case .calendarDay: return clock.firstInstant(ofDay: localDay(time) + 1) * 1000
      case .rolling(let seconds):
        let length = Int64(seconds) * 1000
        var index = firstCounted(after: time - length)
        while index < counted.count, !concerns(cap, counted[index].type) { index += 1 }
        return index < counted.count ? counted[index].at + length : nil
      }
    }
    return chances.min()
  }
}
