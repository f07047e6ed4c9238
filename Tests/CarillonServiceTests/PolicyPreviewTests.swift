import CarillonJSON
import CarillonModel
import CarillonService
import Testing

/// The tally of plans before and after, on plans that were never planned.
@Suite struct PolicyPreviewTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var before: Plan
    var after: Plan
    /// Added, removed, replaced.
    var counts: [Int]
    var queued = false
    var withheld = false
  }

  static let rows = [
    Row(testDescription: "nothing at all", before: Plan(), after: Plan(), counts: [0, 0, 0]),
    Row(
      testDescription: "another version, rank and policy",
      before: plan(held: ["a": "1"], queued: ["q": .noSlot]),
      after: plan(held: ["a": "1"], queued: ["q": .noSlot]) {
        $0.version = 9
        $0.policyVersion = 7
        $0.queued[0].rank = 70
      }, counts: [0, 0, 0]),
    Row(
      testDescription: "one comes", before: plan(held: ["a": "1"]), after: plan(held: ["a": "1", "b": "1"]),
      counts: [1, 0, 0]),
    Row(
      testDescription: "one leaves", before: plan(held: ["a": "1", "b": "1"]), after: plan(held: ["b": "1"]),
      counts: [0, 1, 0]),
    Row(
      testDescription: "one is another", before: plan(held: ["a": "1"]), after: plan(held: ["a": "2"]),
      counts: [0, 0, 1]),
    Row(
      testDescription: "all three", before: plan(held: ["a": "1", "b": "1"]),
      after: plan(held: ["b": "2", "c": "1"]), counts: [1, 1, 1]),
    Row(
      testDescription: "two change places", before: plan(held: ["a": "1"], queued: ["b": .noSlot]),
      after: plan(held: ["b": "1"], queued: ["a": .noSlot]), counts: [1, 1, 0], queued: true),
    Row(
      testDescription: "one waits for another reason", before: plan(queued: ["a": .noSlot]),
      after: plan(queued: ["a": .typeLimit]), counts: [0, 0, 0], queued: true),
    Row(
      testDescription: "one is withheld", before: plan(held: ["a": "1"]),
      after: plan(withheld: ["a": .capped]),
      counts: [0, 1, 0], withheld: true),
    Row(
      testDescription: "one is withheld for another reason", before: plan(withheld: ["a": .capped]),
      after: plan(withheld: ["a": .quietHours]), counts: [0, 0, 0], withheld: true),
  ]

  @Test("What counts as a change of a plan", arguments: rows)
  func change(_ row: Row) {
    let change = PlanChange(from: row.before, to: row.after, of: device(1))
    #expect([change.added, change.removed, change.replaced] == row.counts)
    #expect(change.changesQueued == row.queued)
    #expect(change.changesWithheld == row.withheld)
    #expect(change.isChange == (row.counts != [0, 0, 0] || row.queued || row.withheld))
  }

  @Test func sumsAreOverAllDevices() {
    var preview = PolicyPreview(policyVersion: 3, plannedAt: Instant("2026-11-30T10:00:00Z")!, total: 9)
    preview.add(
      PlanPair(
        device: device(1),
        before: Self.plan(held: ["a": "1", "b": "1"], queued: ["c": .noSlot]) {
          $0.evictionsByType = ["habit": 1]
        },
        after: Self.plan(held: ["a": "2"], queued: ["c": .noSlot], withheld: ["b": .capped]) {
          $0.evictionsByType = ["habit": 1]
          $0.held[0].moves = [
            Move(by: "quietHours", from: Instant(milliseconds: 0), to: Instant(milliseconds: 1))
          ]
        }))
    preview.add(nil)
    preview.add(
      PlanPair(
        device: device(2),
        before: Self.plan(held: ["x": "1"]) { $0.evictionsByType = ["habit": 2, "day1": 1] },
        after: Self.plan(held: ["x": "1"]) {
          $0.evictionsByType = ["habit": 2, "day1": 1]
          $0.starved = true
        }))
    #expect(preview.planned == 2 && preview.skipped == 1 && preview.changed == 1)
    #expect(
      String(decoding: preview.json, as: UTF8.self) == """
        {"plannedAt":"2026-11-30T10:00:00Z","policyVersion":3,"changes":true,\
        "devices":{"total":9,"planned":2,"changed":1,"skipped":1},\
        "before":{"held":3,"queued":1,"withheld":0,"expired":0,"moved":0,"starvedDevices":0,\
        "evictionsByType":{"day1":1,"habit":3},"withheldByReason":{}},\
        "after":{"held":2,"queued":1,"withheld":1,"expired":0,"moved":1,"starvedDevices":1,\
        "evictionsByType":{"day1":1,"habit":3},"withheldByReason":{"capped":1}},\
        "changedDevices":[{"deviceId":"\(device(1).text)","added":0,"removed":1,"replaced":1,\
        "changesQueued":false,"changesWithheld":true}],"device":null}
        """)
  }

  @Test func moreThanTheNamedDevicesAreCounted() {
    var preview = PolicyPreview(policyVersion: 0, plannedAt: Instant(milliseconds: 0), total: 0)
    let count = PolicyPreview.mostNamedDevices + 7
    for number in 0..<count {
      preview.add(
        PlanPair(device: device(number), before: Self.plan(held: ["a": "1"]), after: Self.plan(held: [:])))
    }
    #expect(preview.changed == count)
    #expect(preview.changes.map(\.device) == (0..<PolicyPreview.mostNamedDevices).map(device))
  }

  @Test func aShownDeviceAloneIsAChangeToo() {
    var preview = PolicyPreview(policyVersion: 0, plannedAt: Instant(milliseconds: 0), total: 1)
    #expect(!preview.findsChanges)
    preview.shown = PlanPair(device: device(1), before: Plan(), after: Plan())
    #expect(!preview.findsChanges)
    preview.shown?.after = Self.plan(held: ["a": "1"])
    #expect(preview.findsChanges && preview.planned == 0)
  }

  private func device(_ number: Int) -> DeviceID { DeviceID(UUID128(high: 1, low: UInt64(number))) }

  private static func plan(
    held: KeyValuePairs<String, String> = [:], queued: KeyValuePairs<String, QueuedRequest.Reason> = [:],
    withheld: KeyValuePairs<String, WithheldRequest.Reason> = [:], _ change: (inout Plan) -> Void = { _ in }
  ) -> Plan {
    var plan = Plan()
    plan.held = held.map { id, revision in
      HeldRequest(
        id: NotificationID(unchecked: id), source: NotificationID(unchecked: id), type: "habit", priority: 0,
        fireAt: Instant(milliseconds: 0), revision: revision, trigger: .instant(Instant(milliseconds: 0)),
        reach: .visible, slot: .rank)
    }
    for (index, entry) in queued.enumerated() {
      plan.queued.append(
        QueuedRequest(
          id: NotificationID(unchecked: entry.key), type: "habit", fireAt: nil, rank: index + 1,
          reason: entry.value))
    }
    plan.withheld = withheld.map { WithheldRequest(id: NotificationID(unchecked: $0), reason: $1) }
    change(&plan)
    return plan
  }
}
