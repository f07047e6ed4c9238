import CarillonModel

extension WorldMaker {
  /// A policy that a tenant could have put: what the document's own checks refuse is thrown again.
  /// - Parameter secondOfDay: the device's present time of day, near which something is to happen.
  mutating func policy(near secondOfDay: Int) -> Policy {
    while true {
      let policy = anyPolicy(secondOfDay)
      if (try? Policy(parsing: policy.bytes)) == policy { return policy }
    }
  }

  private mutating func anyPolicy(_ secondOfDay: Int) -> Policy {
    var policy = Policy()
    policy.slots = random.chance(90) ? Int.random(in: 1...9, using: &random) : 64
    policy.horizonDays = random.pick([1, 3, 30])
    policy.order = random.pick(RankOrder.allCases)
    policy.locationSlots = random.pick([0, 1, 20])
    policy.unreachable = random.chance(80) ? .withhold : .hold
    policy.types = types()
    if random.chance(60) { policy.quietHours = quietHours(secondOfDay) }
    for _ in 0..<random.pick([0, 0, 1, 1, 2, 3]) { policy.frequencyCaps.append(cap()) }
    if random.chance(40) {
      var fatigue = FatigueRule()
      fatigue.capScale = random.pick([0, 0.25, 0.5, 1])
      fatigue.minPriority = Int.random(in: 0...2, using: &random)
      policy.fatigue = fatigue
    }
    if random.chance(40) {
      var adaptive = AdaptivePriority()
      adaptive.maxShift = Int.random(in: 0...2, using: &random)
      policy.adaptivePriority = adaptive
    }
    return policy
  }

  private mutating func types() -> [NotificationType] {
    var names = [("a", ["a"]), ("b", ["b", "a1"]), ("c", ["c", "a1x1"])]
    if random.chance(10) { names.insert(("unknown", []), at: Int.random(in: 0...3, using: &random)) }
    return names.map { name, prefixes in
      var type = NotificationType(
        name: name, prefixes: prefixes, priority: Int.random(in: 0...2, using: &random))
      if random.chance(30) { type.reserve = Int.random(in: 0...3, using: &random) }
      if random.chance(30) { type.limit = Int.random(in: (type.reserve ?? 0)...4, using: &random) }
      type.quietHours = random.chance(75) ? .hold : random.pick(QuietHoursRule.allCases)
      type.cap = random.chance(70) ? .hold : random.pick(CapRule.allCases)
      type.capExempt = random.chance(15)
      type.digest = random.chance(60)
      type.adaptive = random.chance(50)
      return type
    }
  }

  private mutating func quietHours(_ secondOfDay: Int) -> QuietHours {
    var quiet = QuietHours()
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      // Mostly one that has just begun, is about to, or is just over.
      let slot =
        random.chance(60)
        ? secondOfDay / 1_800 + Int.random(in: 24...56, using: &random)
        : Int.random(in: 0..<48, using: &random)
      let from = slot % 48 * 1_800
      var window = QuietWindow(
        from: from, to: (from + Int.random(in: 1...20, using: &random) * 1_800) % 86_400)
      if random.chance(5) { window = QuietWindow(from: 0, to: 86_400) }
      if random.chance(40) { window.days = random.pick([[1, 3, 5], [1, 7], [2, 3, 4, 5, 6]]) }
      quiet.windows.append(window)
    }
    if random.chance(20) {
      quiet.exempt = random.pick([[], [.critical], [.active], [.passive, .timeSensitive]])
    }
    return quiet
  }

  private mutating func cap() -> FrequencyCap {
    var cap = FrequencyCap(limit: Int.random(in: 1...4, using: &random), per: .calendarDay)
    if random.chance(70) {
      cap.per = .rolling(
        seconds: random.chance(90)
          ? Int.random(in: 1...300, using: &random) * 60 : Int.random(in: 1...200_000, using: &random))
    }
    if random.chance(30) { cap.types = random.pick([["a", "unknown"], ["b"], ["a", "b", "c"]]) }
    return cap
  }
}
