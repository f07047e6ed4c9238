import CarillonModel
import CarillonPlanner

extension NaivePlanner {
  mutating func count(_ time: Int64, _ type: String) {
    if policy.frequencyCaps.isEmpty { return }
    counted.insert((time, type), at: firstCounted(after: time))
  }

  /// Counts what repeats as far as any cap looks from `time`, and some months more.
  private mutating func countRepeating(around time: Int64) {
    let until = time / 1000 + longestCap
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
    for cap in policy.frequencyCaps where concerns(cap, request.type.name) {
      if isFull(cap, limit(cap, request.priority), time) { return true }
    }
    return false
  }

  private func isFull(_ cap: FrequencyCap, _ limit: Int, _ time: Int64) -> Bool {
    switch cap.per {
    case .calendarDay:
      let day = localDay(time)
      var used = 0
      for other in counted(cap, after: time - 2 * Self.dayLength, before: time + 2 * Self.dayLength)
      where localDay(other) == day {
        used += 1
      }
      return used >= limit
    case .rolling(let seconds):
      let length = Int64(seconds) * 1000
      let before = counted(cap, after: time - length, before: time)
      let near = before + [time] + counted(cap, after: time - 1, before: time + length)
      // The fullest windows begin with one of them; too full is what still holds the one that is `limit` further on.
      for first in 0...before.count where first + limit < near.count {
        if near[first + limit] < near[first] + length { return true }
      }
      return false
    }
  }

  private func localDay(_ time: Int64) -> Int { clock.day(at: Instant(milliseconds: time).seconds) }

  /// The next time at which room may come: one that counts leaves a window, or a day begins.
  func nextChance(after time: Int64, _ type: NotificationType) -> Int64? {
    var chances: [Int64] = []
    for cap in policy.frequencyCaps where concerns(cap, type.name) {
      switch cap.per {
      case .calendarDay: chances.append(clock.firstInstant(ofDay: localDay(time) + 1) * 1000)
      case .rolling(let seconds):
        let length = Int64(seconds) * 1000
        var index = firstCounted(after: time - length)
        while index < counted.count, !concerns(cap, counted[index].type) { index += 1 }
        if index < counted.count { chances.append(counted[index].at + length) }
      }
    }
    return chances.min()
  }
}
