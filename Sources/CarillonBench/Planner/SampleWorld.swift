import CarillonModel
import CarillonPlanner

/// What there is in hand when a device is planned: heads decoded, policy compiled, and a device that still holds what the
/// plan of an hour ago gave it.
struct SampleWorld {
  /// Quiet hours and one cap, or no rules at all.
  enum Rules { case quietHoursAndCap, none }

  /// As the server has it, which reads a queue for one plan.
  let input: PlanInput
  /// With its queue made ready for many plans, as whoever keeps a device in mind has it.
  let compiled: PlanInput
  let zones: any ZoneLookup

  init(entries: Int, seed: UInt64, rules: Rules, zones: any ZoneLookup) throws {
    guard let zone = zones.zone(named: SampleQueue.zoneName) else {
      throw LoadFailure(detail: "the zone data lacks \(SampleQueue.zoneName)")
    }
    let accepted = SampleQueue.now.adding(seconds: -86_400)
    var input = PlanInput(
      policy: CompiledPolicy(Self.policy(rules)), policyVersion: 1,
      device: PlanningDevice(
        authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone, firstWeekday: 2,
        minimumDaysInFirstWeek: 4),
      now: SampleQueue.now.adding(seconds: -3600))
    input.queue = try SampleQueue(entries: entries, seed: seed).heads.map { head in
      // As the server reads them: from the stored bytes.
      QueueEntry(head: try HeadCodec.decode(HeadCodec.encode(head), id: head.id), acceptedAt: accepted)
    }
    let earlier = Planner.plan(input, zones: zones).plan
    input.pending = earlier.held.map { PendingRequest(id: $0.id, revision: $0.revision) }
    input.sent = Set(earlier.held.map(\.id))
    input.now = SampleQueue.now
    self.input = input
    input.compileQueue(zones: zones)
    compiled = input
    self.zones = zones
  }

  /// The types and priorities of the default policy, by the prefixes of the sample's ids.
  private static func policy(_ rules: Rules) -> Policy {
    var policy = Policy()
    policy.types = NotificationType.defaults.map { type in
      var type = type
      type.prefixes = type.prefixes.map { "com.example.\($0)Reminder" }
      return type
    }
    guard rules == .quietHoursAndCap else { return policy }
    var quiet = QuietHours()
    quiet.windows = [QuietWindow(from: 22 * 3600, to: 7 * 3600 + 1800)]
    policy.quietHours = quiet
    policy.frequencyCaps = [FrequencyCap(limit: 3, per: .rolling(seconds: 3600))]
    return policy
  }
}
