import CarillonModel
import CarillonPlanner

/// A device, its policy, its queue and its past, small enough to be looked at: few ids, few slots, times that collide,
/// and clocks that change. What it holds can be written as files and read again.
struct RandomWorld {
  struct Entry {
    var notification: Notification
    var acceptedAt: Instant
  }

  var policy = Policy()
  var status = AuthorizationStatus.authorized
  var settings = NotificationSettings()
  var zoneName = "UTC"
  var entries: [Entry] = []
  var history: [PastDelivery] = []
  var engagement: [TypeEngagement] = []
  var fatiguedAt: Instant?
  var unread = 0
  var sent: Set<NotificationID> = []
  /// What an earlier plan called expired.
  var expired: Set<NotificationID> = []
  /// What was delivered since it was put.
  var delivered: [NotificationID: Instant] = [:]
  var pending: [PendingRequest]?
  var stillRinging: Set<NotificationID> = []
  var foreign = ForeignRequests()
  var now: Instant

  init(seed: UInt64) {
    var maker = WorldMaker(seed: seed)
    self = maker.make()
  }

  init(zoneName: String, now: Instant) {
    self.zoneName = zoneName
    self.now = now
  }

  var input: PlanInput {
    var input = PlanInput(
      policy: CompiledPolicy(policy), policyVersion: 1,
      device: PlanningDevice(authorizationStatus: status, settings: settings, zone: zone(zoneName)), now: now)
    input.queue = entries.map { QueueEntry(head: $0.notification.head, acceptedAt: $0.acceptedAt) }
    input.history = history
    input.engagement = engagement
    input.fatiguedAt = fatiguedAt
    input.unread = unread
    input.sent = sent
    input.expired = expired
    input.delivered = delivered
    input.stillRinging = stillRinging
    input.pending = pending
    input.foreign = foreign
    return input
  }

  /// The content of an entry, for a plan written as JSON.
  func content(of id: NotificationID) -> [UInt8]? {
    entries.first { $0.notification.head.id == id }?.notification.content.canonicalBytes
  }
}

/// Makes worlds from a seed.
struct WorldMaker {
  var random: Seeded
  /// Where and when: mostly the day before the clocks change.
  static let places: [(zone: String, at: String)] = [
    ("UTC", "2026-06-10T12:00Z"), ("Europe/Zurich", "2026-03-28T10:00Z"),
    ("Europe/Zurich", "2026-10-24T10:00Z"), ("Australia/Lord_Howe", "2026-10-02T10:00Z"),
    ("Australia/Lord_Howe", "2026-04-04T01:00Z"), ("America/Santiago", "2026-09-05T12:00Z"),
    ("America/Santiago", "2026-04-04T12:00Z"), ("America/Havana", "2026-10-31T12:00Z"),
    ("America/Havana", "2026-03-07T12:00Z"), ("America/Nuuk", "2026-03-28T06:00Z"),
    ("America/Nuuk", "2026-10-24T06:00Z"), ("Antarctica/Troll", "2026-03-28T06:00Z"),
    ("Antarctica/Troll", "2026-10-24T06:00Z"), ("Pacific/Chatham", "2026-04-03T20:00Z"),
    ("Pacific/Chatham", "2026-09-25T20:00Z"), ("Africa/Casablanca", "2026-02-14T08:00Z"),
    ("Africa/Casablanca", "2026-03-21T08:00Z"),
  ]
  static let names = ["a", "b", "c", "é"].flatMap { type in (0..<4).map { "\(type)\($0)" } }

  init(seed: UInt64) { random = Seeded(seed: seed) }

  mutating func make() -> RandomWorld {
    let place = random.pick(Self.places)
    var now = instant(place.at).adding(seconds: Int64.random(in: 0...1_440, using: &random) * 60)
    if random.chance(10) {
      now = Instant(milliseconds: now.milliseconds + Int64.random(in: 1...59_999, using: &random))
    }
    var world = RandomWorld(zoneName: place.zone, now: now)
    world.policy = policy(near: zone(place.zone).local(at: now).secondOfDay)
    device(&world)
    let count = Int.random(in: 0...(random.chance(10) ? 40 : 14), using: &random)
    var names = Self.names + (0..<30).map { "a1x\($0)" }.filter { _ in count > 14 }
    names.shuffle(using: &random)
    for name in names.prefix(count) {
      world.entries.append(entry(name, world))
    }
    if random.chance(20) { night(&world) }
    past(&world)
    present(&world, names)
    return world
  }

  /// Makes it a world of digests: a window that ends about now, and much that is wished for inside of it.
  private mutating func night(_ world: inout RandomWorld) {
    (world.status, world.settings) = (.authorized, NotificationSettings())
    let wall = zone(world.zoneName).local(at: world.now).wallSeconds / 1_800 * 1_800
    let end = wall + Int64.random(in: -20...20, using: &random) * 1_800
    let length = Int64.random(in: 4...20, using: &random) * 1_800
    var quiet = QuietHours()
    quiet.windows = [QuietWindow(from: Int((end - length) % 86_400), to: Int(end % 86_400))]
    world.policy.quietHours = quiet
    for index in world.policy.types!.indices {
      world.policy.types![index].quietHours = .hold
      world.policy.types![index].digest = true
    }
    for index in world.entries.indices where random.chance(70) {
      let wish = end - Int64.random(in: 1...length / 900, using: &random) * 900
      world.entries[index].notification.head.trigger = .local(LocalDateTime(wallSeconds: wish))
      world.entries[index].notification.head.group = "g"
    }
  }

  private mutating func device(_ world: inout RandomWorld) {
    switch Int.random(in: 0..<30, using: &random) {
    case 0: world.status = .denied
    case 1: world.status = .notDetermined
    case 2: world.status = .unknown("later")
    case 3, 4: world.status = .provisional
    case 5: world.status = .ephemeral
    default: break
    }
    if random.chance(30) {
      let values: [NotificationSetting?] = [
        nil, .enabled, .disabled, .disabled, .notSupported, .unknown("later"),
      ]
      world.settings.alert = random.pick(values)
      world.settings.sound = random.pick(values)
      world.settings.badge = random.pick(values)
      world.settings.lockScreen = random.pick(values)
      world.settings.notificationCenter = random.pick(values)
    }
    if random.chance(50) { world.settings.timeSensitive = random.pick([.enabled, .enabled, .disabled]) }
    if random.chance(30) { world.settings.criticalAlert = .enabled }
    if random.chance(20) { world.unread = Int.random(in: 1...3, using: &random) }
    if random.chance(30) {
      world.foreign = ForeignRequests(
        count: Int.random(in: 0...3, using: &random), regions: random.pick([0, 0, 18, 19, 25]))
    }
    if random.chance(30) {
      world.fatiguedAt = world.now.adding(seconds: -Int64.random(in: 0...20, using: &random) * 86_400)
    }
    if random.chance(50) {
      world.engagement = ["a", "b", "c"].map { name in
        TypeEngagement(
          type: name, delivered: Double(Int.random(in: 10...200, using: &random)),
          tapped: Double(random.pick([0, 2, 60])))
      }
    }
  }

  /// What was delivered: some of what an earlier plan held, as a device would have shown it, and some of no plan.
  private mutating func past(_ world: inout RandomWorld) {
    if random.chance(50) {
      var earlier = world
      earlier.now = world.now.adding(seconds: -Int64.random(in: 1...2_160, using: &random) * 60)
      let portion = random.pick([50, 100])
      let plan = earlier.input.planned().plan
      if random.chance(70) { world.expired = Set(plan.expired.map(\.id)) }
      for held in plan.held {
        guard let fire = held.fireAt, fire <= world.now, random.chance(portion) else { continue }
        world.history.append(PastDelivery(id: held.id, type: held.type, at: fire))
      }
    }
    // As before a journey: by the clock of here, their time may be still to come.
    for entry in world.entries where random.chance(4) {
      world.delivered[entry.notification.head.id] = time(world, -1_500...0)
    }
    if random.chance(30) {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        world.history.append(
          PastDelivery(
            id: NotificationID(unchecked: random.pick(["past", "a0", "b0"])),
            type: random.pick(["a", "b", "nobody"]), at: time(world, -1_500...0)))
      }
    }
  }

  /// What the device holds: mostly what a plan gave it, with drift.
  private mutating func present(_ world: inout RandomWorld, _ names: [String]) {
    for name in names.prefix(3) + ["gone"] where random.chance(30) {
      world.sent.insert(NotificationID(unchecked: name))
    }
    if random.chance(20) { return }
    var pending: [PendingRequest] = []
    if random.chance(60) {
      for held in world.input.planned().plan.held where random.chance(80) {
        pending.append(
          PendingRequest(id: held.id, revision: random.chance(85) ? held.revision : "0123456789abcdef"))
      }
    }
    for name in names.prefix(4) + ["gone", "other"]
    where random.chance(25) && !pending.contains(where: { $0.id.text == name }) {
      pending.append(
        PendingRequest(
          id: NotificationID(unchecked: name), revision: random.chance(50) ? "0123456789abcdef" : nil))
    }
    world.pending = pending
    if random.chance(15) {
      for request in pending + [PendingRequest(id: NotificationID(unchecked: "gone"))] where random.chance(40)
      {
        world.stillRinging.insert(request.id)
      }
    }
  }

  /// An instant some minutes from now.
  mutating func time(_ world: RandomWorld, _ minutes: ClosedRange<Int64>) -> Instant {
    Instant(seconds: world.now.seconds).adding(seconds: Int64.random(in: minutes, using: &random) * 60)
  }
}
