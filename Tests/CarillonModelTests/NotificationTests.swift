import CarillonJSON
import CarillonModel
import TestSupport
import Testing

func decodeNotification(_ text: String, id: NotificationID? = nil) -> Result<Notification, JSONError> {
  do throws(JSONError) {
    return .success(try Notification(parsing: Array(text.utf8), id: id))
  } catch { return .failure(error) }
}

private func put(_ members: String) -> String {
  #"{"id":"n","content":{"title":"T"},"trigger":{"kind":"local","at":"2026-12-01T08:00"}\#(members)}"#
}

private func content(_ members: String) -> String {
  #"{"id":"n","content":{\#(members)},"trigger":{"kind":"local","at":"2026-12-01T08:00"}}"#
}

@Suite("Notifications")
struct NotificationTests {
  @Test func everyMemberIsReadAndWritten() throws {
    let text =
      #"{"id":"habit.1","type":"habit","content":{"attachments":[{"url":"a/b"}],"badge":3,"body":"B","categoryId":"c","interruptionLevel":"timeSensitive","relevanceScore":0.5,"sound":"default","subtitle":"S","threadId":"t","title":"T","userInfo":{"a":[1,{"b":null}],"z":2}},"trigger":{"at":"2026-12-01T08:00:00Z","kind":"instant"},"overdue":"deliverNow","expiresAt":"2026-12-02T08:00:00Z","needs":["sound","lockScreen"],"inbox":false,"group":"g"}"#
    let notification = try decodeNotification(text).get()
    #expect(notification.head.summary == notification.content.summary)
    #expect(
      notification.head.summary.hasText && notification.head.summary.hasSound
        && notification.head.summary.hasBadge)
    #expect(notification.head.summary.interruptionLevel == .timeSensitive)
    #expect(notification.head.needs == [.sound, .lockScreen])
    var writer = JSONWriter()
    notification.write(to: &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    #expect(try NotificationContent(canonical: notification.content.canonicalBytes) == notification.content)
    let canonical = try JSONValue(parsing: notification.content.canonicalBytes)
    #expect(canonical.canonicalBytes == notification.content.canonicalBytes)
  }

  @Test func whatIsAbsentHasItsDefault() throws {
    let head = try decodeNotification(put("")).get().head
    #expect(head.overdue == .expire)
    #expect(head.inbox)
    #expect(head.needs.isEmpty && head.type == nil && head.group == nil && head.expiresAt == nil)
    let nulls = try decodeNotification(
      put(
        #","type":null,"overdue":null,"expiresAt":null,"needs":null,"inbox":null,"group":null,"state":"held""#
      )
    ).get().head
    #expect(nulls == head)
  }

  @Test(arguments: [
    (
      #"{"content":{"title":"T"},"trigger":{"kind":"local","at":"2026-12-01T08:00"}}"#,
      JSONError.missingMember, ""
    ),
    (#"{"id":"n","trigger":{"kind":"local","at":"2026-12-01T08:00"}}"#, JSONError.missingMember, ""),
    (#"{"id":"n","content":{"title":"T"}}"#, JSONError.missingMember, ""),
    (#""n""#, JSONError.unexpectedType, ""),
    (put(#","id":"m""#), JSONError.duplicateMember, "/id"),
    (put(#","overdue":"later""#), JSONError.invalidValue, "/overdue"),
    (put(#","needs":["sound","smell"]"#), JSONError.invalidValue, "/needs/1"),
    (put(#","inbox":"yes""#), JSONError.unexpectedType, "/inbox"),
    (put(#","expiresAt":"2026-12-02T08:00""#), ModelError.invalidInstant, "/expiresAt"),
    (put(#","type":"""#), JSONError.outOfRange, "/type"),
    (put(#","group":"a\u0001""#), JSONError.outOfRange, "/group"),
    (
      #"{"id":"","content":{"title":"T"},"trigger":{"kind":"local","at":"2026-12-01T08:00"}}"#,
      ModelError.invalidId, "/id"
    ),
    (
      #"{"id":"a\nb","content":{"title":"T"},"trigger":{"kind":"local","at":"2026-12-01T08:00"}}"#,
      ModelError.invalidId, "/id"
    ),
    (content(""), ModelError.emptyContent, "/content"),
    (content(#""title":"","body":null"#), ModelError.emptyContent, "/content"),
    (content(#""subtitle":"S""#), ModelError.emptyContent, "/content"),
    (content(#""title":"T","relevanceScore":1.5"#), JSONError.outOfRange, "/content/relevanceScore"),
    (content(#""title":"T","relevanceScore":-0.1"#), JSONError.outOfRange, "/content/relevanceScore"),
    (content(#""sound":{"name":"s","volume":1.01}"#), JSONError.outOfRange, "/content/sound/volume"),
    (content(#""sound":"""#), JSONError.invalidValue, "/content/sound"),
    (content(#""badge":-1"#), JSONError.outOfRange, "/content/badge"),
    (content(#""badge":1.5"#), JSONError.unexpectedType, "/content/badge"),
    (content(#""title":5"#), JSONError.unexpectedType, "/content/title"),
    (
      content(#""title":"T","interruptionLevel":"loud""#), JSONError.invalidValue,
      "/content/interruptionLevel"
    ),
    (content(#""title":"T","userInfo":[1]"#), JSONError.unexpectedType, "/content/userInfo"),
    (content(#""title":"T","userInfo":{"a":1,"a":2}"#), JSONError.duplicateMember, "/content/userInfo/a"),
    (content(#""title":"T","attachments":{}"#), JSONError.unexpectedType, "/content/attachments"),
  ])
  func refused(_ text: String, _ code: String, _ pointer: String) {
    guard case .failure(let error) = decodeNotification(text) else {
      Issue.record("accepted: \(text)")
      return
    }
    #expect(error.code == code)
    #expect(error.pointer == pointer)
  }

  @Test(arguments: [
    #""badge":0"#, #""sound":"default""#, #""body":"B""#, #""title":"T","filterCriteria":"new in some iOS""#,
  ])
  func aLittleContentIsEnough(_ members: String) {
    #expect(throws: Never.self) { try decodeNotification(content(members)).get() }
  }

  @Test func contentIsLimited() {
    func attempt(_ members: String) -> String? {
      if case .failure(let error) = decodeNotification(content(members)) { error.code } else { nil }
    }
    func nested(_ depth: Int) -> String {
      #""title":"T","userInfo":{"a":\#(String(repeating: "[", count: depth - 1))\#(String(repeating: "]", count: depth - 1))}"#
    }
    #expect(attempt(nested(32)) == nil)
    #expect(attempt(nested(33)) == JSONError.depthLimit)
    func many(_ count: Int) -> String {
      #""title":"T","userInfo":{"a":[\#(Array(repeating: "0", count: count - 1).joined(separator: ","))]}"#
    }
    #expect(attempt(many(10_000)) == nil)
    #expect(attempt(many(10_001)) == JSONError.valueLimit)
    let overhead = Array(#"{"body":""}"#.utf8).count
    let longest = NotificationContent.largest - overhead
    #expect(attempt(#""body":"\#(String(repeating: "a", count: longest))""#) == nil)
    #expect(
      attempt(#""body":"\#(String(repeating: "a", count: longest + 1))""#) == ModelError.contentTooLarge)
    #expect(
      attempt(#""title":"T","attachments":[\#(Array(repeating: "{}", count: 17).joined(separator: ","))]"#)
        == JSONError.outOfRange)
  }

  @Test func aPathGivesTheIdOrAgrees() throws {
    let id = NotificationID(unchecked: "n")
    let without = #"{"content":{"title":"T"},"trigger":{"kind":"local","at":"2026-12-01T08:00"}}"#
    #expect(try decodeNotification(without, id: id).get().head.id == id)
    #expect(try decodeNotification(put(""), id: id).get().head.id == id)
    guard case .failure(let error) = decodeNotification(put(""), id: NotificationID(unchecked: "m")) else {
      Issue.record("another id was taken")
      return
    }
    #expect(error.code == ModelError.idMismatch)
  }

  /// Case 13: one batch of seven, five refused each by itself, two stored.
  @Test func case13Batch() throws {
    func item(_ id: Int, _ trigger: String) -> String {
      #"{"id":"\#(id)","content":{"title":"T"},"trigger":\#(trigger)}"#
    }
    let triggers = [
      #"{"kind":"instant","at":"2016-01-10 07:00:00.01"}"#, #"{"kind":"instant","at":"2016-01-10T07:00:00"}"#,
      #"{"kind":"instant","at":"2016-02-30T07:00:00Z"}"#,
      #"{"kind":"calendar","components":{"day":1,"hour":-24}}"#,
      #"{"kind":"calendar","components":{"quarter":0,"day":2}}"#,
      #"{"kind":"calendar","components":{"era":1,"fortnight":2}}"#,
      #"{"kind":"instant","at":"2016-01-10T07:00:00.01Z"}"#,
    ]
    let batch = #"{"put":[\#(triggers.enumerated().map { item($0, $1) }.joined(separator: ","))]}"#
    var stored: [Notification] = []
    var rejected: [RejectedItem] = []
    try JSONReader.read(Array(batch.utf8)) { (reader) throws(JSONError) in
      try reader.object { (reader, _) throws(JSONError) in
        try Notification.readEach(from: &reader, pointer: "/put") { result in
          switch result {
          case .success(let notification): stored.append(notification)
          case .failure(let item): rejected.append(item)
          }
        }
      }
    }
    #expect(stored.map(\.head.id.text) == ["4", "6"])
    #expect(stored.last?.head.trigger == .instant(Instant(milliseconds: 1_452_409_200_010)))
    #expect(rejected.map(\.id) == ["0", "1", "2", "3", "5"])
    #expect(
      rejected.map(\.error.pointer) == [
        "/put/0/trigger/at", "/put/1/trigger/at", "/put/2/trigger/at", "/put/3/trigger/components/hour",
        "/put/5/trigger/components/fortnight",
      ])
  }

  @Test func revisionsFollowContentTriggerAndBadge() throws {
    let notification = try decodeNotification(
      #"{"id":"n","content":{"title":"T","badge":1},"trigger":{"kind":"local","at":"2026-12-01T08:00"}}"#
    ).get()
    var hash = StableHash()
    hash.combine(#"{"title":"T"}"# + #"{"at":"2026-12-01T08:00","kind":"local"}"#)
    #expect(notification.head.wishHash == hash.state)
    #expect(notification.head.revision(badge: nil) == hash.hex)
    hash.combine("12")
    #expect(notification.head.revision(badge: 12) == hash.hex)
    let moved = Trigger.local(try #require(LocalDateTime("2026-12-01T09:00")))
    var head = notification.head
    head.trigger = moved
    #expect(head.revision(badge: 12) == Revision.text(trigger: moved, summary: head.summary, badge: 12))
    #expect(head.revision(badge: 12) != notification.head.revision(badge: 12))
  }

  /// What goes over the wire and into logs must not change by accident, nor mean two things.
  @Test func codesAreDistinctWords() {
    let codes = JSONError.all + ModelError.all
    #expect(Set(codes).count == codes.count)
    #expect(codes.allSatisfy { $0.utf8.allSatisfy { UInt8(ascii: "A") <= $0 && $0 <= UInt8(ascii: "z") } })
  }

  /// The same order of members and the same numbers give the same revision, however they were written.
  @Test func spellingDoesNotChangeARevision() throws {
    let one = try decodeNotification(
      #"{"id":"n","content":{"title":"\u0041","userInfo":{"b":1.0,"a":1e2}},"trigger":{"kind":"interval","seconds":60.0,"repeats":true}}"#
    ).get()
    let other = try decodeNotification(
      #"{"trigger":{"repeats":true,"seconds":6e1,"kind":"interval"},"content":{"userInfo":{"a":100,"b":1},"title":"A"},"id":"n"}"#
    ).get()
    #expect(one.head.wishHash == other.head.wishHash)
    #expect(one.content.canonicalBytes == other.content.canonicalBytes)
  }

  @Test(
    arguments: [
      (#"{"badge":7,"title":"T"}"#, 3, #"{"badge":3,"title":"T"}"#),
      (#"{"badge":7,"title":"T"}"#, nil, #"{"title":"T"}"#),
      (#"{"attachments":[1],"badge":7}"#, 12, #"{"attachments":[1],"badge":12}"#),
      (#"{"badge":7}"#, nil, "{}"),
      (
        #"{"attachments":[],"title":"a\nb","userInfo":{"badge":9}}"#, 1,
        #"{"attachments":[],"badge":1,"title":"a\nb","userInfo":{"badge":9}}"#
      ),
    ] as [(String, Int?, String)])
  func aBadgeIsReplacedInPlace(_ content: String, _ badge: Int?, _ expected: String) throws {
    let replaced = try NotificationContent.replacingBadge(in: Array(content.utf8), with: badge)
    #expect(String(decoding: replaced, as: UTF8.self) == expected)
  }
}
