import CarillonModel
import CarillonPlanner

/// A device's queue as apps fill it, made from a seed: what the user set, some of it repeating, and what the app adds
/// to bring the user back, six one-time requests a day as far ahead as they reach.
struct SampleQueue {
  static let zoneName = "Europe/Madrid"
  /// A Monday morning.
  static let now = Instant(seconds: 1_796_029_200)
  /// Nobody keeps more habits than this, however long the queue.
  static let mostRepeating = 40
  private static let oneTimeADay = 6

  private var random: SplitMix64
  private(set) var heads: [NotificationHead] = []

  init(entries: Int, seed: UInt64) {
    random = SplitMix64(seed: seed)
    let repeating = min(entries / 10, Self.mostRepeating)
    for number in 0..<repeating { add("habit", number, .repeating(number)) }
    let days = (entries - repeating + Self.oneTimeADay - 1) / Self.oneTimeADay
    for number in repeating..<entries {
      // The types' shares: six in ten set by the user, the rest by the app.
      let type = [
        "entry", "entry", "habit", "entry", "inactivity", "depletion", "entry", "habit", "day1", "entry",
      ]
      add(type[number % type.count], number, .oneTime(days: max(1, days)))
    }
    heads.shuffle(using: &random)
  }

  private enum Kind {
    case repeating(Int)
    case oneTime(days: Int)
  }

  private mutating func add(_ type: String, _ number: Int, _ kind: Kind) {
    let trigger =
      switch kind {
      case .repeating(let number): repeatingTrigger(number)
      case .oneTime(let days): oneTimeTrigger(days)
      }
    heads.append(
      NotificationHead(
        id: NotificationID(unchecked: "com.example.\(type)Reminder.\(number)"), trigger: trigger,
        summary: ContentSummary(
          hasText: true, hasSound: type == "habit" || type == "entry", hasBadge: type == "entry",
          interruptionLevel: .active, hash: random.next())))
  }

  /// Of ten: four daily, four weekly, one monthly, and an interval or another monthly.
  private mutating func repeatingTrigger(_ number: Int) -> Trigger {
    var components = CalendarComponents()
    components.hour = Int.random(in: 8...21, using: &random)
    components.minute = Int.random(in: 0...11, using: &random) * 5
    switch number % 10 {
    case 0...3: break
    case 4...7: components.weekday = Int.random(in: 1...7, using: &random)
    case 9 where number % 20 == 9:
      return .interval(IntervalTrigger(seconds: 14_400, repeats: true))
    default: components.day = Int.random(in: 1...28, using: &random)
    }
    return .calendar(CalendarTrigger(components: components, repeats: true))
  }

  /// Of ten: five wall times, three instants, two full sets of components. Some fall into the night.
  private mutating func oneTimeTrigger(_ days: Int) -> Trigger {
    let today = Int(Self.now.seconds) / 86_400
    let date = CivilDate(daysSinceEpoch: today + Int.random(in: 1...days, using: &random))
    let hour = Int.random(in: 0..<10, using: &random) == 0 ? 23 : Int.random(in: 7...22, using: &random)
    let minute = Int.random(in: 0...11, using: &random) * 5
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5: return .local(LocalDateTime(date: date, hour: hour, minute: minute))
    case 5..<8:
      return .instant(
        Instant(seconds: Int64(date.daysSinceEpoch * 86_400 + (hour - 1) * 3600 + minute * 60)))
    default:
      var components = CalendarComponents()
      components.year = date.year
      components.month = date.month
      components.day = date.day
      components.hour = hour
      components.minute = minute
      return .calendar(CalendarTrigger(components: components, repeats: false))
    }
  }
}

/// Random numbers that a seed repeats on every platform.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
