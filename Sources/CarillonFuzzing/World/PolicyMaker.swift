import CarillonModel

/// A policy from bytes; it may contradict itself.
struct PolicyMaker {
  var source: ByteSource

  mutating func policy() -> Policy {
    var policy = Policy()
    policy.slots = source.int(in: 1...9)
    policy.horizonDays = source.pick([1, 3, 30])
    policy.order = source.pick(RankOrder.allCases)
    policy.locationSlots = source.pick([20, 0, 1])
    policy.unreachable = source.pick(UnreachableRule.allCases)
    policy.types = ["a", "b", "c"].map { type($0) }
    if source.chance(10) { policy.types?.append(type("unknown")) }
    if source.chance(50) { policy.quietHours = quietHours() }
    for _ in 0..<source.pick([0, 0, 1, 2]) { policy.frequencyCaps.append(cap()) }
    if source.chance(25) {
      var rule = AdaptivePriority()
      rule.minSamples = source.int(in: 1...40)
      rule.maxShift = source.int(in: 1...3)
      policy.adaptivePriority = rule
    }
    if source.chance(25) {
      var rule = FatigueRule()
      rule.capScale = source.pick([0.5, 0.1, 1])
      rule.minPriority = source.int(in: 0...3)
      policy.fatigue = rule
    }
    return policy
  }

  private mutating func type(_ name: String) -> NotificationType {
    var type = NotificationType(name: name, prefixes: [name], priority: source.int(in: 0...2))
    type.reserve = source.maybe(30) { $0.int(in: 0...3) }
    type.limit = source.maybe(30) { $0.int(in: 0...4) }
    type.quietHours = source.pick([.hold, .hold] + QuietHoursRule.allCases)
    type.cap = source.pick([.hold, .hold] + CapRule.allCases)
    type.capExempt = source.chance(15)
    type.adaptive = source.chance(30)
    type.digest = source.chance(40)
    return type
  }

  private mutating func quietHours() -> QuietHours {
    var quiet = QuietHours()
    for _ in 0..<source.int(in: 1...2) {
      let from = source.int(in: 0...47) * 1_800
      var window = QuietWindow(from: from, to: (from + source.int(in: 1...47) * 1_800) % 86_400)
      if source.chance(10) { window = QuietWindow(from: 0, to: 86_400) }
      if source.chance(30) { window.days = [1, 3, 5] }
      quiet.windows.append(window)
    }
    if source.chance(20) { quiet.exempt = [source.pick(InterruptionLevel.allCases)] }
    return quiet
  }

  private mutating func cap() -> FrequencyCap {
    let window: FrequencyCap.Window =
      source.chance(30) ? .calendarDay : .rolling(seconds: source.int(in: 1...600) * 60)
    return FrequencyCap(
      limit: source.int(in: 1...4), per: window, types: source.maybe(30) { _ in ["a", "unknown"] })
  }
}
