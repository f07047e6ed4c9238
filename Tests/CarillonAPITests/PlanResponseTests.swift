import CarillonAPI
import CarillonJSON
import CarillonModel
import Testing

@Suite struct PlanResponseTests {
  static let badged = Array(#"{"badge":7,"title":"B"}"#.utf8)
  static let plain = Array(#"{"title":"A"}"#.utf8)

  static func held(_ id: String, source: String? = nil, badge: Int? = nil) -> HeldRequest {
    HeldRequest(
      id: NotificationID(unchecked: id), source: NotificationID(unchecked: source ?? id), type: "habit",
      priority: 0, fireAt: Sample.now, revision: "9f2c0d1e5b7a8c34", trigger: .instant(Sample.now),
      reach: .audible, slot: .rank, badge: badge)
  }

  static let plan: Plan = {
    var plan = Plan()
    plan.version = 17
    plan.policyVersion = 3
    plan.zoneData = "2025b"
    plan.held = [held("a"), held("b@20260103T0900", source: "b", badge: 2), held("gone")]
    plan.evictionsByType = ["inactivity": 2]
    plan.refreshBy = Sample.now
    return plan
  }()

  static func content(of source: NotificationID) -> [UInt8]? {
    ["a": plain, "b": badged][source.text]
  }

  @Test func theWholePlanReadsBack() throws {
    let body = try PlanResponse.json(Self.plan, contents: Self.content)
    let json = try JSONValue(parsing: body)
    for name in [
      "version", "policyVersion", "zoneData", "slots", "foreign", "capacity", "starved", "held", "queued",
      "rejected", "withheld", "expired", "evictionsByType", "refreshBy", "coversUntil",
    ] {
      #expect(json[name] != nil, "\(name)")
    }
    let response = try PlanResponse(body)
    #expect(response.plan.version == 17)
    #expect(response.plan.held.map(\.id) == Self.plan.held.map(\.id))
    #expect(response.contents[NotificationID(unchecked: "a")] == Self.plain)
    #expect(
      response.contents[NotificationID(unchecked: "b@20260103T0900")]
        == Array(#"{"badge":2,"title":"B"}"#.utf8))
    #expect(response.contents.count == 2)
  }

  @Test func aDiffCarriesTheContentsItAdds() throws {
    var diff = PlanDiff()
    diff.remove = [NotificationID(unchecked: "old")]
    diff.add = [0, 1, 2]
    let wire = try SyncDiff(diff, of: Self.plan, contents: Self.content)
    #expect(wire.remove == diff.remove)
    #expect(wire.add.map(\.id.text) == ["a", "b@20260103T0900"])
    #expect(wire.add[1].content == Array(#"{"badge":2,"title":"B"}"#.utf8))
  }
}
