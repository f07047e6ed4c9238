import CarillonAPI
import CarillonJSON
import CarillonModel
import Testing

@Suite struct SyncResponseTests {
  static let addition = SyncAddition(
    id: NotificationID(unchecked: "habit.9"), revision: "9f2c0d1e5b7a8c34", fireAt: Sample.now,
    trigger: .instant(Sample.now), content: Array(#"{"title":"Water"}"#.utf8))

  static func response() -> SyncResponse {
    SyncResponse(
      planVersion: 17, serverTime: Sample.now,
      diff: SyncDiff(remove: [NotificationID(unchecked: "habit.3")], add: [addition]),
      slots: SlotCounts(slots: 64, foreign: 3, capacity: 61, held: 61, queued: 36))
  }

  @Test func hasTheDocumentedShape() {
    var response = Self.response()
    response.refreshBy = Sample.now.adding(seconds: 60)
    response.unread = 2
    #expect(
      String(decoding: response.json, as: UTF8.self) == """
        {"planVersion":17,"serverTime":"2026-11-30T10:00:00Z",\
        "diff":{"remove":["habit.3"],"add":[{"id":"habit.9","revision":"9f2c0d1e5b7a8c34",\
        "fireAt":"2026-11-30T10:00:00Z","trigger":{"at":"2026-11-30T10:00:00Z","kind":"instant"},\
        "content":{"title":"Water"}}]},\
        "slots":{"slots":64,"foreign":3,"capacity":61,"held":61,"queued":36},\
        "refreshBy":"2026-11-30T10:01:00Z","priming":{"step":"none","reason":"noValueAction"},"inbox":{"unread":2},"rejected":[]}
        """)
  }

  @Test func optionalMembersComeAndGo() throws {
    var response = Self.response()
    response.diff = SyncDiff()
    let plain = try JSONValue(parsing: response.json)
    for name in ["deviceId", "deviceToken", "stale"] { #expect(plain[name] == nil) }
    #expect(plain["refreshBy"]?.isNull == true)
    #expect(response.diff.isEmpty)
    response.isStale = true
    response.deviceId = Sample.device
    response.deviceToken = "token"
    let json = try JSONValue(parsing: response.json)
    #expect(json["stale"]?.bool == true)
    #expect(json["deviceId"]?.string == Sample.device.text)
    #expect(json["deviceToken"]?.string == "token")
    for name in ["policy"] { #expect(json[name] == nil) }
    response.policy = SyncPolicy(version: 3, document: Array(#"{"slots": 60}"#.utf8))
    response.diff.add = [Self.addition]
    response.diff.add[0].type = "habit"
    response.diff.add[0].source = "habit"
    #expect(
      String(decoding: response.json, as: UTF8.self).hasSuffix(
        #","policy":{"version":3,"document":{"slots": 60}}}"#))
    #expect(try SyncResponse(response.json) == response)
  }

  @Test func readsBackWithContentsByteForByte() throws {
    var response = Self.response()
    response.rejected = [
      RejectedItem(id: nil, error: JSONError(code: "unexpectedType", detail: "no", pointer: "/put/0"))
    ]
    response.diff.add.append(
      SyncAddition(
        id: NotificationID(unchecked: "place"), revision: "0000000000000001", fireAt: nil,
        trigger: .location(LocationTrigger(latitude: 1, longitude: 2, radius: 30)),
        content: Array(#"{"badge":1,"userInfo":{"b":1e400,"a":[{}]}}"#.utf8)))
    #expect(try SyncResponse(response.json) == response)
  }

  @Test func aNewerServersMembersAreIgnoredAndMissingOnesFound() throws {
    let text = String(decoding: Self.response().json, as: UTF8.self)
    let newer = text.replacing("\"slots\":{", with: "\"later\":[{}],\"slots\":{\"spare\":1,")
    #expect(try SyncResponse(Array(newer.utf8)) == Self.response())
    for name in ["planVersion", "serverTime", "diff", "slots"] {
      let lacking = text.replacing("\"\(name)\":", with: "\"\(name)x\":", maxReplacements: 1)
      #expect(throws: JSONError.self, "\(name)") { try SyncResponse(Array(lacking.utf8)) }
    }
  }
}
