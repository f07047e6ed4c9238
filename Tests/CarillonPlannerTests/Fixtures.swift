import CarillonModel
import CarillonPlanner
import CarillonZones

/// The system's zones.
let zones: ZoneFolder = {
  do { return try ZoneFolder() } catch { fatalError("\(error)") }
}()

func zone(_ name: String) -> ZoneTable {
  guard let table = zones.zone(named: name) else { fatalError("no zone \(name)") }
  return table
}

/// Reads `2026-12-01T08:00`, `2026-12-01T08:00:30`, with or without a `Z`; a date alone is its midnight.
private func seconds(_ text: String) -> Int64 {
  let numbers = text.split { "-T:Z".contains($0) }.compactMap { Int64($0) }
  precondition(numbers.count >= 3, text)
  var days: Int64 = 0
  func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
  for year in 1970..<numbers[0] { days += isLeap(year) ? 366 : 365 }
  let lengths: [Int64] = [31, isLeap(numbers[0]) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  days += lengths[..<Int(numbers[1] - 1)].reduce(0, +) + numbers[2] - 1
  let time = Array(numbers.dropFirst(3)) + [0, 0, 0]
  return days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
}

func instant(_ text: String) -> Instant {
  precondition(text.hasSuffix("Z"), text)
  return Instant(seconds: seconds(text))
}

func wall(_ text: String) -> LocalDateTime {
  precondition(!text.hasSuffix("Z"), text)
  return LocalDateTime(wallSeconds: seconds(text))
}

func components(_ set: (inout CalendarComponents) -> Void) -> CalendarComponents {
  var components = CalendarComponents()
  set(&components)
  return components
}

func daily(_ hour: Int, _ minute: Int = 0) -> CalendarComponents {
  components {
    $0.hour = hour
    $0.minute = minute
  }
}

extension NotificationHead {
  static func test(
    _ id: String, _ trigger: Trigger, type: String? = nil, hasBadge: Bool = false
  ) -> NotificationHead {
    NotificationHead(
      id: NotificationID(unchecked: id), type: type, trigger: trigger,
      summary: ContentSummary(
        hasText: true, hasSound: false, hasBadge: hasBadge, interruptionLevel: .active, hash: 7))
  }
}

extension PlanInput {
  /// A device that may show everything, with no policy.
  static func test(
    now: String, zone name: String = "UTC", policy: Policy = Policy(), queue: [NotificationHead] = []
  ) -> PlanInput {
    var input = PlanInput(
      policy: CompiledPolicy(policy), policyVersion: 1,
      device: PlanningDevice(
        authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone(name)),
      now: instant(now))
    input.queue = queue.map { QueueEntry(head: $0, acceptedAt: instant(now)) }
    return input
  }

  func planned() -> PlanResult { Planner.plan(self, zones: zones) }
}

extension Plan {
  var heldIDs: [String] { held.map(\.id.text) }
  var queuedIDs: [String] { queued.map(\.id.text) }
}

/// The fires of a trigger one after another, each asked for from the last.
func chain(
  _ trigger: CalendarTrigger, zone name: String, from: String, count: Int
) -> [Instant] {
  var now = instant(from)
  let device = PlanningDevice(
    authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone(name))
  var fires: [Instant] = []
  for _ in 0..<count {
    guard
      let fire = Planner.firstFire(
        of: .test("x", .calendar(trigger)), acceptedAt: instant(from), now: now, device: device, zones: zones)
    else { break }
    fires.append(fire)
    now = fire
  }
  return fires
}
