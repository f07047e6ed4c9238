import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonStore
import Testing

@testable import CarillonService

/// What becomes of a fire that has come, decided from what a device says.
@Suite struct DeliveryMemoryTests {
  private static let now = Instant(seconds: 1_796_000_000)
  private static let own = "00000000000000aa"
  private static let other = "00000000000000bb"

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var status = AuthorizationStatus.authorized
    /// The revision that was pending before the report; an empty one is none.
    var before: String?
    var after: [PendingRequest]? = []
    var planVersion: Int?
    var appliedBefore: Int?
    /// The newest plan that it asked for by itself.
    var fetched: Int?
    var delivered: [NotificationID]?
    /// Of the plans that held it, from the seventh on.
    var last = 7
    var repeats = false
    var verdict: DeliveryEvidence.Verdict

    var due: DeliveryMemory.Due { DeliveryMemoryTests.due(last: last, repeats: repeats) }
  }

  private static func request(_ revision: String?) -> PendingRequest {
    PendingRequest(id: "a", revision: revision)
  }

  private static func evidence(_ row: Row) -> DeliveryEvidence {
    var evidence = DeliveryEvidence(
      state: state(row), report: report(row), events: [], appliedBefore: row.appliedBefore)
    evidence.fetched = row.fetched
    return evidence
  }

  static let rows = [
    Row(testDescription: "it was pending and is gone", before: own, verdict: .delivered),
    Row(testDescription: "it applied the plan and holds it no more", planVersion: 7, verdict: .delivered),
    Row(
      testDescription: "it applied a later plan, and this one before", planVersion: 8, appliedBefore: 7,
      verdict: .delivered),
    Row(
      testDescription: "it applied a later plan, and may have left this one out", planVersion: 8,
      appliedBefore: 6, verdict: .missed),
    Row(
      testDescription: "it applied a later plan that held it, too", planVersion: 8, appliedBefore: 6, last: 8,
      verdict: .delivered),
    Row(
      testDescription: "it applied a plan after all of those", planVersion: 9, appliedBefore: 6, last: 8,
      verdict: .missed),
    Row(
      testDescription: "it asked for a plan after all of those, and never said what it lived by",
      planVersion: 9,
      appliedBefore: 6, fetched: 9, last: 8, verdict: .untold),
    Row(
      testDescription: "the same, and does not say what it holds", after: nil, planVersion: 9, fetched: 9,
      last: 8,
      verdict: .untold),
    Row(
      testDescription: "it asked for one of those that held it, and has a later one of an answer",
      planVersion: 9,
      appliedBefore: 6, fetched: 8, last: 8, verdict: .missed),
    Row(
      testDescription: "it asked for a later plan, and lives by an earlier one", planVersion: 6, fetched: 9,
      verdict: .missed),
    Row(
      testDescription: "it asked for a later plan, and lives by one that held it", planVersion: 7, fetched: 9,
      verdict: .delivered),
    Row(
      testDescription: "it asked for a later plan, and was denied", status: .denied, planVersion: 9,
      fetched: 9,
      verdict: .missed),
    Row(testDescription: "it applied an earlier plan only", planVersion: 6, verdict: .missed),
    Row(testDescription: "it never had it, by all that is known", verdict: .missed),
    Row(testDescription: "it had another revision of it", before: other, verdict: .missed),
    Row(testDescription: "it had one without a revision", before: "", verdict: .delivered),
    Row(testDescription: "it still holds it", before: own, after: [request(own)], verdict: .open),
    Row(
      testDescription: "it holds another revision now", before: own, after: [request(other)],
      verdict: .delivered),
    Row(testDescription: "it does not say what it holds", before: own, after: nil, verdict: .open),
    Row(
      testDescription: "it says neither what it holds nor that it has the plan", after: nil, planVersion: 6,
      verdict: .missed),
    Row(testDescription: "it was denied", status: .denied, before: own, verdict: .missed),
    Row(testDescription: "it delivers quietly", status: .provisional, before: own, verdict: .delivered),
    Row(testDescription: "it shows it", delivered: ["a"], verdict: .delivered),
    Row(testDescription: "it shows an older one", planVersion: 6, delivered: ["a"], verdict: .missed),
    Row(testDescription: "it shows another", delivered: ["b"], verdict: .missed),
    Row(
      testDescription: "one that repeats stays pending", before: own, after: [request(own)], repeats: true,
      verdict: .delivered),
    Row(testDescription: "one that repeats and never arrived", repeats: true, verdict: .missed),
  ]

  @Test("What a report makes of a fire", arguments: rows)
  func verdict(_ row: Row) {
    let evidence = Self.evidence(row)
    #expect(evidence.verdict(on: row.due, isLast: true) == row.verdict)
    var memory = DeliveryMemory(made: [], due: [row.due])
    memory.settle(evidence, now: Self.now, seenAt: nil)
    #expect(memory.made.count == ([.delivered, .untold].contains(row.verdict) ? 1 : 0))
    // It may have come: that counts for caps, and is nobody's.
    if row.verdict == .untold { #expect(memory.made[0].id == DeliveryMemory.nobody) }
    #expect(memory.due.count == (row.verdict == .open ? 1 : 0))
    // What is decided needs no presumption; what is held still has not rung.
    if row.verdict == .delivered { #expect(memory.history(evidence).count == 1) }
    if row.verdict == .missed { #expect(memory.history(evidence) == []) }
  }

  @Test func withoutAReportNothingIsDecided() {
    var memory = DeliveryMemory(made: [], due: [Self.due()])
    for (before, count) in [(Self.own, 1), (Self.other, 0)] {
      let row = Row(testDescription: "", before: before, verdict: .open)
      let evidence = DeliveryEvidence(state: Self.state(row), report: nil, events: [], appliedBefore: nil)
      memory.settle(evidence, now: Self.now, seenAt: nil)
      #expect(memory.due == [Self.due()] && memory.made == [])
      // What nobody knows of counts for caps, and is nobody's.
      let history = memory.history(evidence)
      #expect(history.map(\.at) == [Self.due().delivery.at])
      #expect(history.count { $0.id != DeliveryMemory.nobody } == count)
    }
  }

  @Test func whatIsStoredIsReadBack() throws {
    #expect(DeliveryMemory().stored == [])
    #expect(try DeliveryMemory(stored: []) == DeliveryMemory())
    let memory = DeliveryMemory(
      made: [PastDelivery(id: "a\"b", type: "ü", at: Self.now)],
      due: [Self.due(last: 9), Self.due(at: Instant(milliseconds: -1), repeats: true)],
      superseded: [nil, -1].map { .init(request: Self.due(), by: 8, wallSeconds: $0, delay: 1) },
      others: [
        PastDelivery(id: "a", type: "t", at: Self.now)
      ], handedOut: 8, fetched: 9)
    #expect(try DeliveryMemory(stored: memory.stored) == memory)
    let cut = Array(memory.stored.dropLast())
    #expect(throws: (any Error).self) { try DeliveryMemory(stored: cut) }
  }

  @Test func itForgetsWhatNothingAsksFor() {
    let day: Int64 = 86_400
    let made = (0..<2_000).map { number in
      PastDelivery(
        id: NotificationID(unchecked: number == 0 ? "kept" : "n\(number)"), type: "t",
        at: Self.now.adding(seconds: -3 * day + Int64(number) * 120))
    }
    var memory = DeliveryMemory(
      made: made, due: [Self.due(at: Self.now.adding(seconds: -3 * day)), Self.due()])
    memory.prune(now: Self.now, seconds: 60) { $0 == "kept" }
    let limit = Self.now.adding(seconds: -2 * day)
    #expect(memory.made.first?.id == "kept")
    #expect(memory.made.dropFirst().allSatisfy { $0.at >= limit })
    #expect(memory.made.count == DeliveryMemory.mostEntries && memory.made.last == made.last)
    #expect(memory.due == [Self.due()])
    memory.prune(now: Self.now.adding(seconds: 9 * day), seconds: 60) { _ in false }
    #expect(memory.isEmpty)
  }

  @Test func aCapThatLooksFarBackKeepsMore() {
    let old = PastDelivery(id: "a", type: "t", at: Self.now.adding(seconds: -20 * 86_400))
    var memory = DeliveryMemory(made: [old], due: [])
    memory.prune(now: Self.now, seconds: 30 * 86_400) { _ in false }
    #expect(memory.made == [old])
    memory.prune(now: Self.now, seconds: 10 * 86_400) { _ in false }
    #expect(memory.made == [])
  }

  // MARK: What a newer plan has taken back

  /// The plan 7 held it, the plan 8 does not, or at another time.
  @Test(
    "A request that was taken back has rung where the device did not know it yet",
    arguments: [
      (7, own, [], 0, DeliveryEvidence.Verdict.delivered), (7, nil, [], 0, .delivered),
      (6, own, [], 0, .delivered),
      (6, nil, [], 0, .missed), (8, own, [], 0, .missed), (nil, own, [], 0, .missed),
      (7, own, [request(own)], 0, .open), (7, own, [request(own)], 60, .open), (7, own, [], 60, .open),
      (8, own, [request(own)], 60, .missed),
    ] as [(Int?, String?, [PendingRequest], Int64, DeliveryEvidence.Verdict)])
  func takenBack(
    _ version: Int?, _ before: String?, _ after: [PendingRequest], _ secondsAhead: Int64,
    _ verdict: DeliveryEvidence.Verdict
  ) {
    let row = Row(testDescription: "", before: before, after: after, planVersion: version, verdict: verdict)
    let evidence = Self.evidence(row)
    let item = DeliveryMemory.Superseded(request: Self.due(at: Self.now.adding(seconds: secondsAhead)), by: 8)
    #expect(evidence.verdict(on: item, now: Self.now, seenAt: nil) == verdict)
    // Nobody presumes it: the device may well have learnt of it.
    let memory = DeliveryMemory(made: [], due: [], superseded: [item])
    #expect(
      memory.history(DeliveryEvidence(state: Self.state(row), report: nil, events: [], appliedBefore: nil))
        == [])
  }

  @Test func aNewPlanTakesBackWhatItHoldsNoMoreOrOtherwise() {
    var old = Plan()
    old.version = 7
    let offsets: [(String, Int64)] = [
      ("gone", 60), ("moved", 60), ("same", 60), ("past", -60), ("unknown", 60),
    ]
    old.held = offsets.map { id, offset in
      var request = Self.held
      request.id = NotificationID(unchecked: id)
      request.fireAt = Self.now.adding(seconds: offset)
      return request
    }
    var new = old
    new.version = 8
    new.held.removeAll { $0.id != "moved" && $0.id != "same" }
    new.held[0].revision = Self.other
    var memory = DeliveryMemory()
    // Twice, as when the first one could not be written.
    for _ in 1...2 { memory.supersede(old, by: new, in: (.utc, .utc), now: Self.now) { $0.id != "unknown" } }
    #expect(memory.superseded.map(\.request.delivery.id) == ["gone", "moved"])
    #expect(
      memory.superseded.allSatisfy {
        $0.by == 8 && $0.request.planVersion == 7 && $0.request.lastPlanVersion == 7
      })
  }

  // MARK: Fires

  private struct NoZones: ZoneLookup {
    var version: String { "test" }
    func zone(named name: String) -> ZoneTable? { nil }
  }

  private func fires(_ trigger: Trigger, first: Int64, elapsed: Int64) -> [Int64] {
    let now = Self.now.adding(seconds: elapsed)
    let fires = PastFires(
      device: PlanningDevice(authorizationStatus: .authorized, settings: NotificationSettings(), zone: .utc),
      zones: NoZones(), now: now)
    var request = Self.held
    request.trigger = trigger
    request.fireAt = Self.now.adding(seconds: first)
    return fires.of(request).map { ($0.milliseconds - Self.now.milliseconds) / 1000 }
  }

  @Test func aRepeatingRequestHasAllItsFires() {
    let interval = Trigger.interval(IntervalTrigger(seconds: 600, repeats: true))
    #expect(fires(interval, first: 600, elapsed: 599) == [])
    #expect(fires(interval, first: 600, elapsed: 600) == [600])
    #expect(fires(interval, first: 600, elapsed: 1850) == [600, 1200, 1800])
    let once = Trigger.instant(Self.now.adding(seconds: 600))
    #expect(fires(once, first: 600, elapsed: 100_000) == [600])
    var components = CalendarComponents()
    components.minute = 0
    let hourly = Trigger.calendar(CalendarTrigger(components: components, repeats: true))
    #expect(fires(hourly, first: 400, elapsed: 400 + 2 * 3600) == [400, 4000, 7600])
  }

  @Test func aLongSilenceIsCountedFromItsEnd() {
    let minutely = Trigger.interval(IntervalTrigger(seconds: 60, repeats: true))
    let elapsed: Int64 = 30 * 86_400
    let found = fires(minutely, first: 60, elapsed: elapsed)
    #expect(found.count <= PastFires.most && found.count > PastFires.most / 2 - 1)
    #expect(found.last == elapsed && zip(found, found.dropFirst()).allSatisfy { $1 - $0 == 60 })
  }

  // MARK: Samples

  fileprivate static func due(
    at: Instant = now, last: Int = 7, repeats: Bool = false
  ) -> DeliveryMemory.Due {
    DeliveryMemory.Due(
      delivery: PastDelivery(id: "a", type: "habit", at: at), revisionHash: 0xaa, planVersion: 7,
      lastPlanVersion: last, repeats: repeats)
  }

  private static let held = HeldRequest(
    id: "a", source: "a", type: "habit", priority: 0, fireAt: nil, revision: own, trigger: .instant(now),
    reach: .visible, slot: .rank)

  private static func state(_ row: Row) -> DeviceState {
    var state = DeviceState(authorizationStatus: row.status)
    state.pending = row.before.map { [request($0.isEmpty ? nil : $0)] } ?? []
    return state
  }

  private static func report(_ row: Row) -> SyncRequest {
    var report = SyncRequest(sequence: 1)
    report.pending = row.after
    report.planVersion = row.planVersion
    report.delivered = row.delivered
    return report
  }
}
