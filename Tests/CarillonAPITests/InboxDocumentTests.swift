import CarillonAPI
import CarillonJSON
import CarillonModel
import TestSupport
import Testing

@Suite struct InboxDocumentTests {
  private static let key = InboxKey(notification: "habit.0", wishedAt: Sample.now)

  private static func item() -> InboxItem {
    var item = InboxItem(
      key: key, type: "habit", at: Sample.now.adding(seconds: 60), outcome: .delivered, unread: true,
      seen: false,
      archived: false)
    item.title = "Water"
    item.userInfo = Array(#"{"plant":7}"#.utf8)
    return item
  }

  @Test func anItemHasTheDocumentedShape() throws {
    var writer = JSONWriter()
    InboxPage(items: [Self.item()], nextCursor: nil, unread: 1).write(to: &writer)
    #expect(
      String(decoding: writer.bytes, as: UTF8.self) == """
        {"items":[{"id":"\(InboxItemID(Self.key).text)","notification":"habit.0","type":"habit","title":"Water",\
        "body":null,"userInfo":{"plant":7},"at":"2026-11-30T10:01:00Z","outcome":"delivered","unread":true,\
        "seen":false,"archived":false,"snoozedUntil":null}],"nextCursor":null,"unread":1}
        """)
    let read = try InboxPage(writer.bytes)
    #expect(read.items == [Self.item()] && read.unread == 1)
  }

  @Test func aNewerServersItemIsRead() throws {
    let page = try InboxPage(
      Array(
        #"{"items":[{"id":"x","at":"2026-11-30T10:00:00Z","outcome":"sung","more":{}}],"unread":0,"nextCursor":"c"}"#
          .utf8))
    #expect(page.items.first?.outcome == "sung" && page.nextCursor == "c")
  }

  @Test func aContentGivesWhatIsShown() throws {
    var item = Self.item()
    try item.show(
      Array(#"{"badge":3,"body":"B","sound":"s","title":"T","userInfo":{"a":[1,{"b":null}]}}"#.utf8))
    #expect(item.title == "T" && item.body == "B")
    #expect(item.userInfo.map { String(decoding: $0, as: UTF8.self) } == #"{"a":[1,{"b":null}]}"#)
  }

  @Test(arguments: [UInt64](1...20)) func anIdReadsBackOrIsNone(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let text = String(
      (0..<Int.random(in: 1...40, using: &random)).map { _ in "aé𝛼.~%/ ".randomElement(using: &random)! })
    let key = InboxKey(
      notification: NotificationID(unchecked: text),
      wishedAt: Instant(
        milliseconds: Int64.random(in: -10_000_000_000_000...100_000_000_000_000, using: &random)))
    let id = InboxItemID(key).text
    #expect(InboxItemID(id)?.key == key, "seed \(seed)")
    // Damaged ones are none, or another key in the same form: they never trap, and reach nobody else's items.
    for _ in 0..<200 {
      var bytes = Array(id.utf8)
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 33...126, using: &random)
      case 1: bytes.remove(at: place)
      default: bytes.insert(UInt8.random(in: 33...126, using: &random), at: place)
      }
      let damaged = String(decoding: bytes, as: UTF8.self)
      if let read = InboxItemID(damaged) { #expect(read.text == damaged, "seed \(seed)") }
    }
    #expect(InboxItemID("") == nil && InboxItemID(String(repeating: "A", count: 300)) == nil)
  }

  @Test func aPlaceReadsBack() throws {
    for id in ["a", "a.b.c", "ä.1.2", String(repeating: "x", count: 128)] {
      let key = InboxKey(notification: NotificationID(unchecked: id), wishedAt: Instant(milliseconds: -5))
      let cursor = Cursor(inboxAt: Sample.now, key)
      let place = try #require(try Cursor(cursor.text, of: .inbox).inboxPlace)
      #expect(place.at == Sample.now && place.key == key)
    }
    #expect(Cursor(list: .inbox, key: "1.2").inboxPlace == nil)
    #expect(Cursor(list: .devices, key: "1.2.a").inboxPlace == nil)
  }

  @Test func marksReadAsTheyWereWritten() throws {
    let id = InboxItemID(Self.key).text
    let ids = InboxMarkRequest(.ids([id]))
    #expect(try ReceivedInboxMark(ids.json(for: .read), mark: .read).keys == [Self.key])
    let before = InboxMarkRequest(.before(Sample.now), until: Sample.now)
    let read = try ReceivedInboxMark(before.json(for: .snooze), mark: .snooze)
    #expect(read.keys == nil && read.before == Sample.now && read.until == Sample.now)
    #expect(try ReceivedInboxMark(ids.json(for: .snooze), mark: .snooze).until == nil)
    #expect(try UnreadCount(UnreadCount(7).json).unread == 7)
  }

  @Test(arguments: [
    (#"{"ids":["%"]}"#, Route.InboxMark.read, ModelError.invalidId, "/ids/0"),
    (#"{"ids":[],"before":"2026-11-30T10:00:00Z"}"#, .read, JSONError.invalidValue, ""),
    (#"{}"#, .seen, JSONError.invalidValue, ""), (#"{"ids":[]}"#, .snooze, JSONError.missingMember, ""),
    (#"{"ids":[],"until":"2026-11-30T10:00:00Z"}"#, .archive, JSONError.unknownMember, "/until"),
    (#"{"before":"yesterday"}"#, .read, ModelError.invalidInstant, "/before"),
  ])
  func aWrongMarkIsRefused(_ body: String, _ mark: Route.InboxMark, _ code: String, _ pointer: String) {
    #expect {
      _ = try ReceivedInboxMark(Array(body.utf8), mark: mark)
    } throws: { error in
      (error as? JSONError)?.code == code && (error as? JSONError)?.pointer == pointer
    }
  }

  @Test func aMarkNamesSoManyItems() {
    let id = InboxItemID(Self.key).text
    let request = InboxMarkRequest(.ids(Array(repeating: id, count: WireLimits.inboxIDs + 1)))
    #expect(throws: JSONError.self) { _ = try ReceivedInboxMark(request.json(for: .read), mark: .read) }
  }

  @Test func aPrimingQuestionReadsAsItWasWritten() throws {
    let question = PrimingQuestion(action: "reminder.created", context: PrimingQuestion.featureDegraded)
    #expect(try PrimingQuestion(question.json) == question)
    #expect(try PrimingQuestion(Array(#"{"later":1}"#.utf8)) == PrimingQuestion())
  }
}
