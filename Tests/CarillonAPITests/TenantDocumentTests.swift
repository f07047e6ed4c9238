import CarillonAPI
import CarillonJSON
import CarillonModel
import Testing

/// What a tenant's client reads is what the server wrote.
@Suite struct TenantDocumentTests {
  /// What the report does not speak of is not in its document.
  private static let subjects: [Route.ReportKind: [Int]] = [
    .evictions: [
      NotificationMeasure.evicted, .evictedDevices, .lost, .lostToLimit,
    ].map(\.rawValue),
    .delivery: DeliveryOutcome.allCases.map { NotificationMeasure($0).rawValue }
      + [NotificationMeasure.unmet, .unmetSound, .unmetAlert, .unmetBadge, .unmetLockScreen].map(\.rawValue),
    .engagement: [NotificationMeasure.delivered, .tapped, .dismissed].map(\.rawValue),
    .authorization: [
      PermissionMeasure.devices, .notDetermined, .denied, .authorized, .provisional, .ephemeral, .unknown,
      .primed, .asked, .granted, .kept,
    ].map(\.rawValue),
    .priming: [
      PermissionMeasure.none, .wait, .showPrimer, .showDialog, .requestProvisional, .openSettings,
      .primingShown, .primingAccepted, .primingPostponed, .dialogShown, .answeredGranted, .answeredDenied,
    ].map(\.rawValue)
      + (0...PermissionMeasure.grantBounds.count).map { PermissionMeasure.allCases.count + $0 },
    .fatigue: (0..<FatigueMeasure.allCases.count + FatigueMeasure.longestLeadDays + 1).map { $0 },
  ]

  @Test(arguments: Route.ReportKind.allCases) func aReportIsReadAsItWasWritten(
    _ kind: Route.ReportKind
  ) throws {
    var counts = ReportCounts()
    for index in try #require(Self.subjects[kind]) { counts[index] = index * 7 + 1 }
    let day = try #require(CivilDate("2026-11-30"))
    let type = kind == .fatigue ? "cohort" : kind.hasTypes ? "habit" : ""
    let document = ReportDocument(
      kind: kind, period: day.adding(days: -1)...day, rolledUpThrough: day,
      rows: [
        ReportRow(day: day, type: type, cohort: "", counts: counts),
        ReportRow(day: day, type: type, cohort: "2026-W48", counts: counts),
      ])
    #expect(try ReportDocument(document.json, of: kind) == document)
  }

  @Test func aReportWithoutDaysOrWithADayThatIsNoneIsRefused() {
    for text in ["{}", "[]", "{\"from\":\"2026-13-01\",\"to\":\"2026-11-02\",\"items\":[]}"] {
      #expect(throws: JSONError.self) { try ReportDocument(Array(text.utf8), of: .delivery) }
    }
  }

  @Test func deliveriesAndChangesAreReadAsTheyWereWritten() throws {
    let now = Sample.now
    let deliveries = [
      DeliveryItem(notification: "a", wishedAt: now, request: "a", type: "t", at: now, outcome: .open),
      DeliveryItem(
        notification: "b", wishedAt: now, request: "b@1", type: "t", at: now.adding(seconds: 1),
        outcome: .delivered, reason: "noSlot", settledAt: now, tappedAt: now, dismissedAt: now,
        reach: .audible, unmetNeeds: [.sound, .badge]),
    ]
    for item in deliveries {
      #expect(try read(item.json) { (reader) throws(JSONError) in try DeliveryItem(from: &reader) } == item)
    }
    let changes = [
      DeviceChangeItem(
        number: 1, at: now, sequence: nil, sentAt: nil, appVersion: nil, authorizationStatus: .denied,
        fatigue: nil, changes: []),
      DeviceChangeItem(
        number: 2, at: now, sequence: 9, sentAt: now, appVersion: "1.2", authorizationStatus: .authorized,
        fatigue: "degraded", changes: [.init(member: "settings.sound", from: nil, to: "enabled")],
        puts: ["a"], cancels: ["b"], more: 3),
    ]
    for item in changes {
      #expect(
        try read(item.json) { (reader) throws(JSONError) in try DeviceChangeItem(from: &reader) } == item)
    }
  }

  @Test func aDeviceIsReadWithItsStanding() throws {
    var item = DeviceItem(
      id: Sample.device, info: DeviceInfo(), authorizationStatus: .authorized,
      settings: NotificationSettings(), planVersion: 3, sequence: 9, createdAt: Sample.now,
      updatedAt: Sample.now, seenAt: nil)
    #expect(try DeviceItem(item.json) == item)
    var standing = DeviceStanding()
    standing.fatiguedAt = Sample.now
    standing.drift.dropped = 2
    standing.drift.lastAt = Sample.now
    standing.reach = [.audible: 3, .none: 1]
    standing.unmetNeeds = [.sound: 1]
    item.standing = standing
    #expect(try DeviceItem(item.json) == item)
  }

  @Test func anExplanationIsReadAsItWasWritten() throws {
    var full = Explanation(
      id: "a", state: .queued, summary: "It waits.",
      slots: .init(slots: 64, foreign: 1, capacity: 63, held: 63, queued: 2, order: .priorityFirst))
    #expect(try read(full) == full)
    let now = Sample.now
    full.notification = "a"
    full.reason = "noSlot"
    full.type = .init(name: "t", by: .prefix, prefix: "a")
    full.priority = .init(effective: 2, base: 3, reasons: [.init("tapRate", "Often tapped.")])
    full.requestedAt = now
    full.fireAt = now.adding(seconds: 60)
    full.moves = [Move(by: "quietHours", from: now, to: now.adding(seconds: 60))]
    full.rank = 65
    full.slot = .rank
    full.reach = .quiet
    full.unmetNeeds = [.alert]
    full.tookSlot = .init(id: "b", type: "t", priority: 1, fireAt: now, rank: 64)
    full.waitingBefore = 0
    full.runnerUp = .init(id: "c", type: "t", priority: 1, fireAt: nil, rank: 66)
    full.digest = "d"
    full.occurrences = [.init(id: "a@1", fireAt: now, state: .held, rank: 1)]
    #expect(try read(full) == full)
  }

  private func read(_ explanation: Explanation) throws -> Explanation {
    var writer = JSONWriter()
    explanation.write(to: &writer)
    return try read(writer.bytes) { (reader) throws(JSONError) in try Explanation(from: &reader) }
  }

  private func read<Value>(
    _ bytes: [UInt8], _ item: (inout JSONReader) throws(JSONError) -> Value
  ) throws -> Value {
    try JSONReader.read(bytes) { (reader) throws(JSONError) in try item(&reader) }
  }
}
