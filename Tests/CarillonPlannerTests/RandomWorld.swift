import CarillonModel
import CarillonPlanner

/// Small worlds: few ids, few slots, times that collide, and clocks that change.
struct RandomWorld {
  var random: Seeded
  let zoneName: String
  let now: Int64

  init(seed: UInt64) {
    random = Seeded(seed: seed)
    let places: [(String, String)] = [
      ("UTC", "2026-06-10T12:00Z"), ("Europe/Zurich", "2026-03-28T10:00Z"),
      ("Europe/Zurich", "2026-10-24T10:00Z"), ("Australia/Lord_Howe", "2026-10-02T10:00Z"),
      ("Australia/Lord_Howe", "2026-04-04T01:00Z"), ("America/Santiago", "2026-09-05T12:00Z"),
      ("America/Havana", "2026-10-31T12:00Z"),
    ]
    let place = random.pick(places)
    zoneName = place.0
    now = instant(place.1).seconds + Int64.random(in: 0...1_440, using: &random) * 60
  }

  mutating func input() -> PlanInput {
    var input = PlanInput.test(now: "2026-01-01Z", zone: zoneName, policy: policy())
    input.now = Instant(seconds: now)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: input.device.authorizationStatus = .denied
    case 1: input.device.authorizationStatus = .provisional
    default: break
    }
    if random.chance(20) {
      input.device.settings.alert = .disabled
      input.device.settings.lockScreen = .disabled
      input.device.settings.sound = .disabled
    }
    if random.chance(50) { input.device.settings.timeSensitive = .enabled }
    var names = ["a", "b", "c", "d", "é"].flatMap { type in (0..<4).map { "\(type)\($0)" } }
    names.shuffle(using: &random)
    for name in names.prefix(Int.random(in: 0...14, using: &random)) {
      input.queue.append(QueueEntry(head: head(name), acceptedAt: Instant(seconds: minute(-3_000...0))))
    }
    if random.chance(40) {
      input.foreign = ForeignRequests(
        count: Int.random(in: 0...3, using: &random), regions: random.pick([0, 0, 18, 19]))
    }
    input.history = (0..<Int.random(in: 0...4, using: &random)).map { number in
      PastDelivery(
        id: NotificationID(unchecked: "past"), type: random.pick(["a", "b", "nobody"]),
        at: Instant(seconds: minute(-1_500...0)))
    }
    input.unread = Int.random(in: 0...3, using: &random)
    for name in names.prefix(3) + ["gone"] where random.chance(40) {
      input.sent.insert(NotificationID(unchecked: name))
    }
    if random.chance(80) {
      input.pending = (names.prefix(8) + ["gone", "other"]).filter { _ in random.chance(30) }.map {
        PendingRequest(
          id: NotificationID(unchecked: $0), revision: random.chance(60) ? "0123456789abcdef" : nil)
      }
    }
    return input
  }

  private mutating func minute(_ range: ClosedRange<Int64>) -> Int64 {
    now + Int64.random(in: range, using: &random) * 60
  }

  private mutating func policy() -> Policy {
    var policy = Policy()
    policy.slots = Int.random(in: 0...9, using: &random)
    policy.horizonDays = random.pick([1, 3, 30])
    policy.order = random.pick(RankOrder.allCases)
    policy.locationSlots = random.pick([0, 1, 20])
    policy.unreachable = random.pick(UnreachableRule.allCases)
    policy.types = ["a", "b", "c"].enumerated().map { number, name in
      var type = NotificationType(
        name: name, prefixes: [name], priority: Int.random(in: 0...2, using: &random))
      if random.chance(30) { type.reserve = Int.random(in: 0...3, using: &random) }
      if random.chance(30) { type.limit = Int.random(in: 0...4, using: &random) }
      type.quietHours = random.chance(60) ? .hold : random.pick(QuietHoursRule.allCases)
      type.cap = random.chance(70) ? .hold : random.pick(CapRule.allCases)
      type.capExempt = random.chance(15)
      type.digest = random.chance(40)
      return type
    }
    if random.chance(50) {
      var quiet = QuietHours()
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let from = Int.random(in: 0..<48, using: &random) * 1_800
        var window = QuietWindow(
          from: from, to: (from + Int.random(in: 1...20, using: &random) * 1_800) % 86_400)
        if random.chance(30) { window.days = [1, 3, 5] }
        quiet.windows.append(window)
      }
      policy.quietHours = quiet
    }
    for _ in 0..<random.pick([0, 0, 1, 2]) {
      let window: FrequencyCap.Window =
        random.chance(30) ? .calendarDay : .rolling(seconds: Int.random(in: 1...300, using: &random) * 60)
      var cap = FrequencyCap(limit: Int.random(in: 1...4, using: &random), per: window)
      if random.chance(30) { cap.types = ["a", "unknown"] }
      policy.frequencyCaps.append(cap)
    }
    return policy
  }

  private mutating func head(_ name: String) -> NotificationHead {
    var head = NotificationHead.test(name, trigger(), hasBadge: random.chance(30))
    if random.chance(20) { head.type = random.pick(["b", "nobody"]) }
    if random.chance(30) { head.overdue = .deliverNow }
    if random.chance(20) { head.expiresAt = Instant(seconds: minute(-100...4_000)) }
    if random.chance(50) { head.group = random.pick(["g", "h"]) }
    head.summary.hasSound = random.chance(30)
    head.summary.hasText = random.chance(80)
    head.summary.interruptionLevel = random.chance(80) ? .active : random.pick(InterruptionLevel.allCases)
    return head
  }

  private mutating func trigger() -> Trigger {
    let wall = zone(zoneName).local(at: Instant(seconds: now)).wallSeconds
    func localTime(_ random: inout Seeded) -> LocalDateTime {
      LocalDateTime(wallSeconds: wall + Int64.random(in: -60...100, using: &random) * 1_800)
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0...2: return .instant(Instant(seconds: now + Int64.random(in: -10...90, using: &random) * 1_800))
    case 3...6: return .local(localTime(&random))
    case 7:
      return .interval(
        IntervalTrigger(
          seconds: Double(Int.random(in: 30...5_000, using: &random) * 60), repeats: random.chance(60)))
    case 8:
      return .location(
        LocationTrigger(
          latitude: 1, longitude: 1, radius: 50, repeats: random.chance(50),
          distance: random.chance(70) ? Double(Int.random(in: 1...3, using: &random)) : nil))
    default:
      var set = daily(Int.random(in: 0...23, using: &random), random.pick([0, 15, 30]))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: set.weekday = Int.random(in: 1...7, using: &random)
      case 1: set.day = Int.random(in: 27...31, using: &random)
      default: break
      }
      var trigger = CalendarTrigger(
        components: set, repeats: true, onMissingDay: random.pick(MissingDayRule.allCases))
      let date = wall / 86_400
      if random.chance(20) {
        trigger.startsAt = .date(
          LocalDateTime(wallSeconds: (date + Int64.random(in: -2...5, using: &random)) * 86_400))
      }
      if random.chance(20) {
        trigger.endsAt = .date(
          LocalDateTime(wallSeconds: (date + Int64.random(in: -2...9, using: &random)) * 86_400))
      }
      return .calendar(trigger)
    }
  }
}
