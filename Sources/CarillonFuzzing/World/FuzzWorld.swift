import CarillonJSON
import CarillonModel
import CarillonPlanner

/// A small world made from bytes: few ids, few slots, times that collide, and clocks that change. Everything in it
/// has passed the checks that a request passes: what no tenant can put is not planned.
struct FuzzWorld {
  /// Enough for a collision of every rule, few enough to be quick.
  static let mostEntries = 20

  private var source: ByteSource
  private let zone: ZoneTable
  private let now: Instant

  private static let places: [(zone: String, seconds: Int64)] = [
    ("UTC", 1_781_092_800), ("Europe/Zurich", 1_774_692_000), ("Europe/Zurich", 1_792_836_000),
    ("Australia/Lord_Howe", 1_790_935_200), ("Australia/Lord_Howe", 1_775_264_400),
    ("America/Santiago", 1_788_609_600), ("America/Havana", 1_793_448_000), ("Asia/Kathmandu", 1_798_761_540),
  ]

  init(_ bytes: [UInt8]) {
    source = ByteSource(bytes)
    let place = source.pick(Self.places)
    zone = WorldZones.zone(place.zone)
    now = Instant(
      milliseconds: (place.seconds + Int64(source.int(in: 0...1_440)) * 60) * 1000
        + Int64(source.pick([0, 1, 999])))
  }

  /// Nil when the bytes make a policy that no tenant can have.
  mutating func input() -> PlanInput? {
    var maker = PolicyMaker(source: source)
    let policy = Self.asRead(maker.policy())
    source = maker.source
    guard let policy else { return nil }
    var input = PlanInput(
      policy: CompiledPolicy(policy), policyVersion: 1,
      device: PlanningDevice(
        authorizationStatus: source.pick([
          .authorized, .authorized, .authorized, .provisional, .denied, .unknown("x"),
        ]),
        settings: settings(), zone: zone, firstWeekday: source.pick([1, 2, 7]),
        minimumDaysInFirstWeek: source.pick([1, 4])),
      now: now)
    input.unread = source.int(in: 0...3)
    input.foreign = ForeignRequests(
      count: source.pick([0, 0, 1, 3, 70]), regions: source.pick([0, 0, 18, 25]))
    if source.chance(20) { input.fatiguedAt = instant(-30_000...0) }
    input.history = items(atMost: 4) { world in
      PastDelivery(
        id: NotificationID(unchecked: "past"), type: world.source.pick(["a", "b", "unknown", "gone"]),
        at: world.instant(-1_500...0))
    }
    var types: Set<String> = []
    input.engagement = items(atMost: 3) { world in
      let delivered = Double(world.source.int(in: 0...60))
      return TypeEngagement(
        type: world.source.pick(["a", "b", "c"]), delivered: delivered,
        tapped: delivered * Double(world.source.int(in: 0...4)) / 4)
    }.filter { types.insert($0.type).inserted }
    input.sent = Set(items(atMost: 3) { NotificationID(unchecked: $0.source.pick(["a0", "b1", "gone"])) })
    if source.chance(70) { input.pending = pending() }
    input.queue = queue()
    return input
  }

  private mutating func items<Item>(atMost most: Int, _ make: (inout FuzzWorld) -> Item) -> [Item] {
    (0..<source.int(in: 0...most)).map { _ in make(&self) }
  }

  private mutating func pending() -> [PendingRequest] {
    var seen: Set<NotificationID> = []
    return items(atMost: 6) { world in
      PendingRequest(
        id: NotificationID(unchecked: world.source.pick(["a0", "a1", "b1", "gone", "other"])),
        revision: world.source.maybe(50) { _ in "0123456789abcdef" })
    }.filter { seen.insert($0.id).inserted }
  }

  private mutating func settings() -> NotificationSettings {
    var settings = NotificationSettings()
    func setting(_ source: inout ByteSource) -> NotificationSetting? {
      source.pick([nil, .enabled, .disabled])
    }
    guard source.chance(50) else { return settings }
    settings.alert = setting(&source)
    settings.sound = setting(&source)
    settings.badge = setting(&source)
    settings.lockScreen = setting(&source)
    settings.notificationCenter = setting(&source)
    settings.timeSensitive = setting(&source)
    return settings
  }

  /// To the minute, mostly; `range` is in minutes from now.
  mutating func instant(_ range: ClosedRange<Int>) -> Instant {
    Instant(seconds: now.seconds + Int64(source.int(in: range)) * 60)
  }

  // MARK: The queue

  private mutating func queue() -> [QueueEntry] {
    var seen: Set<NotificationID> = []
    var entries: [QueueEntry] = []
    while !source.isEmpty, entries.count < Self.mostEntries {
      var maker = HeadMaker(source: source, zone: zone, now: now)
      let notification = maker.notification()
      let accepted = maker.instant(-3_000...0)
      source = maker.source
      guard let head = Self.asRead(notification), seen.insert(head.id).inserted else { continue }
      entries.append(QueueEntry(head: head, acceptedAt: accepted))
    }
    return entries
  }

  // MARK: What a request would be checked for

  private static func asRead(_ policy: Policy) -> Policy? {
    var writer = JSONWriter()
    policy.write(to: &writer)
    return try? Policy(parsing: writer.bytes)
  }

  private static func asRead(_ notification: Notification) -> NotificationHead? {
    var writer = JSONWriter()
    notification.write(to: &writer)
    return try? Notification(parsing: writer.bytes).head
  }
}
