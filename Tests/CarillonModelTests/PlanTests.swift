import CarillonJSON
import CarillonModel
import TestSupport
import Testing

@Suite("Plans as JSON")
struct PlanTests {
  private static func plan() throws -> Plan {
    let at = try #require(Instant("2026-12-01T08:00:00Z"))
    let id = NotificationID(unchecked: "habit.1")
    let occurrence = NotificationID(unchecked: "water@20261202T0900")
    var plan = Plan()
    (plan.version, plan.policyVersion, plan.zoneData, plan.foreign, plan.capacity) = (17, 3, "2025b", 3, 61)
    plan.held = [
      HeldRequest(
        id: id, source: id, type: "habit", priority: 0, fireAt: at, revision: "0123456789abcdef",
        trigger: .instant(at), reach: .audible, unmetNeeds: [.badge],
        moves: [Move(by: "quietHours", from: at.adding(seconds: -60), to: at)], slot: .reserve, badge: 4),
      HeldRequest(
        id: occurrence, source: NotificationID(unchecked: "water"), type: "unknown", priority: 99,
        fireAt: nil,
        revision: "fedcba9876543210", trigger: .local(try #require(LocalDateTime("2026-12-02T09:00"))),
        reach: .quiet,
        slot: .rank),
    ]
    plan.queued = [
      QueuedRequest(id: NotificationID(unchecked: "q"), type: "habit", fireAt: at, rank: 3, reason: .noSlot)
    ]
    plan.withheld = [WithheldRequest(id: NotificationID(unchecked: "w"), reason: .denied)]
    plan.expired = [ExpiredRequest(id: NotificationID(unchecked: "e"), fireAt: at)]
    plan.rejected = [
      RejectedRequest(id: NotificationID(unchecked: "r"), pointer: "/trigger", code: "c", detail: "d")
    ]
    plan.evictionsByType = ["inactivity": 2, "habit": 1]
    plan.refreshBy = at
    return plan
  }

  private static func contents(_ source: NotificationID) -> [UInt8]? {
    switch source.text {
    case "habit.1": Array(#"{"badge":1,"title":"T"}"#.utf8)
    case "water": Array(#"{"badge":1,"title":"W"}"#.utf8)
    default: nil
    }
  }

  @Test func theWireFormIsTheDocumentedOne() throws {
    var writer = JSONWriter()
    var diff = PlanDiff()
    diff.remove = [NotificationID(unchecked: "old")]
    diff.add = [1]
    let refused = RejectedItem(
      id: nil, error: JSONError(code: "invalidInstant", detail: "d", offset: 9, pointer: "/2/at"))
    try PlanEncoder.write(Self.plan(), rejected: [refused], diff: diff, contents: Self.contents, to: &writer)
    let expected = [
      #"{"version":17,"policyVersion":3,"zoneData":"2025b","slots":64,"foreign":3,"capacity":61,"starved":false,"#,
      #""held":[{"id":"habit.1","type":"habit","priority":0,"fireAt":"2026-12-01T08:00:00Z","revision":"0123456789abcdef","trigger":{"at":"2026-12-01T08:00:00Z","kind":"instant"},"reach":"audible","unmetNeeds":["badge"],"moves":[{"by":"quietHours","from":"2026-12-01T07:59:00Z","to":"2026-12-01T08:00:00Z"}],"slot":"reserve","content":{"badge":4,"title":"T"}},"#,
      #"{"id":"water@20261202T0900","type":"unknown","priority":99,"fireAt":null,"revision":"fedcba9876543210","trigger":{"at":"2026-12-02T09:00","kind":"local"},"reach":"quiet","unmetNeeds":[],"moves":[],"slot":"rank","content":{"title":"W"}}],"#,
      #""queued":[{"id":"q","type":"habit","fireAt":"2026-12-01T08:00:00Z","rank":3,"reason":"noSlot"}],"#,
      #""rejected":[{"id":null,"pointer":"/2/at","code":"invalidInstant","detail":"d"},{"id":"r","pointer":"/trigger","code":"c","detail":"d"}],"#,
      #""withheld":[{"id":"w","reason":"denied"}],"expired":[{"id":"e","fireAt":"2026-12-01T08:00:00Z"}],"#,
      #""evictionsByType":{"habit":1,"inactivity":2},"refreshBy":"2026-12-01T08:00:00Z","coversUntil":null,"#,
      #""diff":{"remove":["old"],"add":[{"id":"water@20261202T0900","revision":"fedcba9876543210","fireAt":null,"trigger":{"at":"2026-12-02T09:00","kind":"local"},"content":{"title":"W"}}]}}"#,
    ].joined()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
  }

  /// A client reads the wire form: all but which entry an occurrence came from, and the badge that its content shows.
  @Test func theWireFormIsReadToo() throws {
    var plan = try Self.plan()
    var writer = JSONWriter()
    try PlanEncoder.write(plan, diff: PlanDiff(), contents: Self.contents, to: &writer)
    plan.held[0].badge = nil
    plan.held[1].source = plan.held[1].id
    #expect(try Plan.decode(writer.bytes) == plan)
  }

  @Test(arguments: [
    (#"{"held":[{"trigger":{"kind":"local","at":"2026-12-01T08:00"}}]}"#, JSONError.missingMember, "/held/0"),
    (#"{"held":[{"id":"a"}]}"#, JSONError.missingMember, "/held/0"),
    (#"{"queued":[{"id":"a"}]}"#, JSONError.missingMember, "/queued/0"),
    (#"{"withheld":[{"id":"a","reason":"mood"}]}"#, JSONError.invalidValue, "/withheld/0/reason"),
    (#"{"expired":[{"id":"a"}]}"#, JSONError.missingMember, "/expired/0"),
    (#"{"version":"1"}"#, JSONError.unexpectedType, "/version"),
  ])
  func refused(_ text: String, _ code: String, _ pointer: String) {
    do throws(JSONError) {
      _ = try Plan.decode(Array(text.utf8))
      Issue.record("accepted: \(text)")
    } catch {
      #expect(error.code == code)
      #expect(error.pointer == pointer)
    }
  }
}
