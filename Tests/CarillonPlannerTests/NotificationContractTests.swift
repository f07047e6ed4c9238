import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonZones
import Testing

/// What a notification and its trigger may say: each sentence of the contract, with what breaks it, and where.
///
/// Server and device read with the same code and validate with the same function; the server adds the place in its
/// document.
@Suite struct NotificationContractTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var sentence: String
    var json: String
    /// Nil when it is taken.
    var code: String?
    var pointer = ""
    var testDescription: String { "\(sentence): \(json.prefix(120))" }
  }

  static let now = "2026-11-30T12:00Z"

  static func notification(_ members: String) -> String {
    #"{"id":"n","content":{"title":"T"},"trigger":{"kind":"instant","at":"2027-01-01T00:00:00Z"}\#(members)}"#
  }

  static func id(_ id: String) -> String {
    #"{"id":"\#(id)","content":{"title":"T"},"trigger":{"kind":"instant","at":"2027-01-01T00:00:00Z"}}"#
  }

  static func content(_ members: String) -> String {
    #"{"id":"n","content":{\#(members)},"trigger":{"kind":"instant","at":"2027-01-01T00:00:00Z"}}"#
  }

  static func trigger(_ members: String) -> String {
    #"{"id":"n","content":{"title":"T"},"trigger":{\#(members)}}"#
  }

  static func instant(_ text: String) -> String { trigger(#""kind":"instant","at":"\#(text)""#) }
  static func local(_ text: String) -> String { trigger(#""kind":"local","at":"\#(text)""#) }

  static func calendar(_ set: String, _ rest: String = #","repeats":true"#) -> String {
    trigger(#""kind":"calendar","components":{\#(set)}\#(rest)"#)
  }

  static func interval(_ members: String) -> String { trigger(#""kind":"interval",\#(members)"#) }

  static func recurrence(_ rule: String, _ rest: String = "") -> String {
    trigger(#""kind":"recurrence","start":"2026-01-01T09:00","rule":"\#(rule)"\#(rest)"#)
  }

  static func location(_ members: String) -> String {
    trigger(#""kind":"location","latitude":52.5,"longitude":13.4,"radius":100\#(members)"#)
  }

  static func nested(_ depth: Int) -> String {
    content(
      #""title":"T","userInfo":{"a":"#
        + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}")
  }

  static func values(_ count: Int) -> String {
    content(
      #""title":"T","userInfo":{"a":["# + Array(repeating: "0", count: count - 1).joined(separator: ",")
        + "]}")
  }

  static let notificationRows: [Row] = [
    Row(sentence: "id: 1...128 bytes", json: id(""), code: ModelError.invalidId, pointer: "/id"),
    Row(sentence: "id: 1...128 bytes", json: id(String(repeating: "a", count: 128))),
    Row(
      sentence: "id: 1...128 bytes", json: id(String(repeating: "a", count: 129)), code: ModelError.invalidId,
      pointer: "/id"),
    Row(sentence: "id: bytes of UTF-8, not characters", json: id(String(repeating: "é", count: 64))),
    Row(
      sentence: "id: bytes of UTF-8, not characters", json: id(String(repeating: "é", count: 65)),
      code: ModelError.invalidId, pointer: "/id"),
    Row(
      sentence: "id: UTF-8", json: id(#"\ud800"#), code: JSONError.invalidJSON, pointer: "/id"),
    Row(
      sentence: "id: no control characters", json: id(#"a\u0007b"#), code: ModelError.invalidId,
      pointer: "/id"),
    Row(
      sentence: "id: no control characters", json: id(#"a\u007fb"#), code: ModelError.invalidId,
      pointer: "/id"),
    Row(
      sentence: "id: no control characters", json: id(#"a\u0085b"#), code: ModelError.invalidId,
      pointer: "/id"),
    Row(
      sentence: "title or body or badge or sound must be there", json: content(#""subtitle":"S""#),
      code: ModelError.emptyContent, pointer: "/content"),
    Row(sentence: "title or body or badge or sound must be there", json: content(#""title":"T""#)),
    Row(sentence: "title or body or badge or sound must be there", json: content(#""body":"B""#)),
    Row(sentence: "title or body or badge or sound must be there", json: content(#""badge":0"#)),
    Row(sentence: "title or body or badge or sound must be there", json: content(#""sound":"default""#)),
    Row(sentence: "userInfo: depth <= 32", json: nested(32)),
    Row(
      sentence: "userInfo: depth <= 32", json: nested(33), code: JSONError.depthLimit,
      pointer: "/content/userInfo"),
    Row(sentence: "userInfo: <= 10,000 values", json: values(10_000)),
    Row(
      sentence: "userInfo: <= 10,000 values", json: values(10_001), code: JSONError.valueLimit,
      pointer: "/content/userInfo"),
    Row(
      sentence: "userInfo is any JSON under names", json: content(#""title":"T","userInfo":7"#),
      code: JSONError.unexpectedType, pointer: "/content/userInfo"),
    Row(sentence: "relevanceScore 0...1", json: content(#""title":"T","relevanceScore":1"#)),
    Row(
      sentence: "relevanceScore 0...1", json: content(#""title":"T","relevanceScore":1.0001"#),
      code: JSONError.outOfRange, pointer: "/content/relevanceScore"),
    Row(
      sentence: "relevanceScore 0...1", json: content(#""title":"T","relevanceScore":-0.1"#),
      code: JSONError.outOfRange, pointer: "/content/relevanceScore"),
    Row(
      sentence: "relevanceScore is finite", json: content(#""title":"T","relevanceScore":1e400"#),
      code: JSONError.outOfRange, pointer: "/content/relevanceScore"),
    Row(
      sentence: "interruptionLevel passive|active|timeSensitive|critical",
      json: content(#""title":"T","interruptionLevel":"loud""#), code: JSONError.invalidValue,
      pointer: "/content/interruptionLevel"),
    Row(
      sentence: "volumes 0...1", json: content(#""sound":{"name":"s","critical":true,"volume":1.5}"#),
      code: JSONError.outOfRange, pointer: "/content/sound/volume"),
    Row(
      sentence: "attachments are a list", json: content(#""title":"T","attachments":{}"#),
      code: JSONError.unexpectedType, pointer: "/content/attachments"),
    Row(
      sentence: "badge is a number from 0", json: content(#""badge":-1"#), code: JSONError.outOfRange,
      pointer: "/content/badge"),
    Row(
      sentence: "oversize content", json: content(#""body":"\#(String(repeating: "a", count: 65_600))""#),
      code: ModelError.contentTooLarge, pointer: "/content"),
    Row(
      sentence: "overdue: expire or deliverNow", json: notification(#","overdue":"later""#),
      code: JSONError.invalidValue, pointer: "/overdue"),
    Row(
      sentence: "needs: sound, alert, badge, lockScreen", json: notification(#","needs":["alert","light"]"#),
      code: JSONError.invalidValue, pointer: "/needs/1"),
    Row(
      sentence: "inbox is true or false", json: notification(#","inbox":"yes""#),
      code: JSONError.unexpectedType, pointer: "/inbox"),
    Row(
      sentence: "expiresAt is an instant", json: notification(#","expiresAt":"2027-01-01T00:00""#),
      code: ModelError.invalidInstant, pointer: "/expiresAt"),
    Row(
      sentence: "type is a name", json: notification(#","type":"""#), code: JSONError.outOfRange,
      pointer: "/type"),
    Row(
      sentence: "group is a name", json: notification(#","group":"a\u0000""#), code: JSONError.outOfRange,
      pointer: "/group"),
    Row(sentence: "members nobody knows are left out", json: notification(#","newer":[1]"#)),
    Row(
      sentence: "a content must be there",
      json: #"{"id":"n","trigger":{"kind":"instant","at":"2027-01-01T00:00:00Z"}}"#,
      code: JSONError.missingMember),
    Row(
      sentence: "a trigger must be there", json: #"{"id":"n","content":{"title":"T"}}"#,
      code: JSONError.missingMember),
  ]

  static let timeRows: [Row] =
    [
      Row(
        sentence: "a kind of trigger", json: trigger(#""kind":"weekly""#),
        code: ModelError.unknownTriggerKind,
        pointer: "/trigger/kind"),
      Row(
        sentence: "unknown members of a trigger",
        json: trigger(#""kind":"instant","at":"2027-01-01T00:00:00Z","att":1"#),
        code: JSONError.unknownMember, pointer: "/trigger/att"),
      Row(sentence: "RFC 3339 with an offset", json: instant("2026-12-01T08:00:00Z")),
      Row(sentence: "RFC 3339 with an offset", json: instant("2026-12-01t08:00:00.123456789-23:59")),
      Row(sentence: "a one-time time in the past is accepted", json: instant("2016-01-10T07:00:00.01Z")),
      Row(sentence: "a one-time time in the past is accepted", json: local("2016-01-10T07:00")),
    ]
    + [
      "2026-12-01T08:00:00", "2026-12-01 08:00:00Z", "2026-12-01T08:00Z", "2026-12-01", "20261201T080000Z",
      "2026-12-01T08:00:00+0100", "2026-12-01T08:00:00+24:00", "2026-12-01T08:00:00+01:60",
      "2026-02-30T07:00:00Z",
      "2027-02-29T07:00:00Z", "2026-13-01T08:00:00Z", "2026-00-01T08:00:00Z", "2026-12-00T08:00:00Z",
      "2026-12-01T24:00:00Z", "2026-12-01T08:60:00Z", "2026-12-01T08:00:60Z", "2026-12-01T08:00:00.Z",
      "2026-12-01T08:00:00.1234567890Z", "2026-12-01T08:00:00,5Z", " 2026-12-01T08:00:00Z",
      "2026-12-01T08:00:00Z ",
      "2026-12-1T08:00:00Z", "+2026-12-01T08:00:00Z", "26-12-01T08:00:00Z", "1999-12-31T23:59:59Z",
      "2200-01-01T00:00:00Z", "2000-01-01T00:00:00+01:00", "", "tomorrow", "1796112000",
    ].map {
      Row(
        sentence: "strict RFC 3339, a day that exists, 2000...2199", json: instant($0),
        code: ModelError.invalidInstant,
        pointer: "/trigger/at")
    }
    + [
      "2026-12-01T08:00Z", "2026-12-01T08:00+01:00", "2026-12-01", "2026-02-30T08:00", "2026-12-01T08",
      "2026-12-01T08:00:00.5", "2026-12-01t08:00", "1999-12-31T08:00", "2200-01-01T00:00", "",
    ].map {
      Row(
        sentence: "a wall time without an offset", json: local($0), code: ModelError.invalidLocalTime,
        pointer: "/trigger/at")
    }

  @Test(arguments: notificationRows + timeRows + calendarRows + otherRows)
  func sentence(_ row: Row) throws {
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone("Europe/Madrid"))
    let notification: Notification
    do throws(JSONError) {
      notification = try Notification(parsing: Array(row.json.utf8))
    } catch {
      #expect(error.code == row.code, "\(error.detail)")
      #expect(error.pointer.hasPrefix(row.pointer) && (row.code != nil), "\(error.pointer)")
      return
    }
    do {
      try Planner.validate(
        notification.head.trigger, device: device, now: CarillonPlannerTests.instant(Self.now), zones: zones)
      #expect(row.code == nil)
    } catch {
      #expect(error.code.rawValue == row.code, "\(error.detail)")
      #expect(error.pointer == row.pointer)
    }
  }
}
