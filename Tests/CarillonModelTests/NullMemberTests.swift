import CarillonJSON
import CarillonModel
import Testing

/// What may be absent may be null, and means the same: many languages write their optional values so.
@Suite struct NullMemberTests {
  private static let content = #""content":{"title":"T"}"#
  private static let trigger = #""trigger":{"kind":"local","at":"2026-12-01T08:00"}"#

  /// Documents with one member more, `?`, that may be absent.
  private static let notifications: [(members: [String], document: String)] = [
    (
      ["type", "overdue", "expiresAt", "needs", "inbox", "group"],
      #"{"id":"n",\#(content),\#(trigger)?}"#
    ),
    (
      [
        "subtitle", "body", "sound", "badge", "threadId", "categoryId", "userInfo", "relevanceScore",
        "interruptionLevel", "attachments",
      ], #"{"id":"n","content":{"title":"T"?},\#(trigger)}"#
    ),
    (["name", "critical", "volume"], #"{"id":"n","content":{"sound":{?}},\#(trigger)}"#),
    (
      ["timeZone", "repeats", "onMissingDay", "startsAt", "endsAt"],
      #"{"id":"n",\#(content),"trigger":{"kind":"calendar","components":{"hour":8}?}}"#
    ),
    (
      [
        "year", "month", "day", "minute", "second", "weekday", "weekdayOrdinal", "weekOfMonth", "weekOfYear",
        "yearForWeekOfYear",
      ], #"{"id":"n",\#(content),"trigger":{"kind":"calendar","components":{"hour":8?}}}"#
    ),
    (
      ["repeats", "anchor"],
      #"{"id":"n",\#(content),"trigger":{"kind":"interval","seconds":90?}}"#
    ),
    (
      ["except", "timeZone"],
      #"{"id":"n",\#(content),"trigger":{"kind":"recurrence","start":"2026-01-01T09:00","rule":"FREQ=DAILY"?}}"#
    ),
    (
      ["onExit", "repeats", "distance"],
      #"{"id":"n",\#(content),"trigger":{"kind":"location","latitude":1,"longitude":2,"radius":3,"onEntry":true?}}"#
    ),
  ]

  @Test func ofNotifications() throws {
    for row in Self.notifications {
      let without = try decodeNotification(row.document.replacing("?", with: "")).get()
      let comma = row.document.contains("{?") ? "" : ","
      for member in row.members {
        let null = row.document.replacing("?", with: "\(comma)\"\(member)\":null")
        #expect(try decodeNotification(null).get() == without, "\(null)")
      }
    }
  }

  @Test func anIdThatThePathGives() throws {
    let given = NotificationID(unchecked: "n")
    let body = #"{"id":null,\#(Self.content),\#(Self.trigger)}"#
    #expect(try Notification(parsing: Array(body.utf8), id: given).head.id == given)
    #expect(throws: JSONError.self) { try Notification(parsing: Array(body.utf8)) }
  }

  @Test(arguments: [
    (#"{"count":2,"regions":null}"#, ForeignRequests(count: 2)), (#"{"count":2}"#, ForeignRequests(count: 2)),
  ])
  func ofForeignRequests(_ text: String, _ expected: ForeignRequests) throws {
    #expect(
      try JSONReader.read(Array(text.utf8)) { (reader) throws(JSONError) in
        try ForeignRequests(from: &reader)
      } == expected)
  }

  @Test func ofAPushToken() throws {
    let read = { (text: String) throws(JSONError) in
      try JSONReader.read(Array(text.utf8)) { (reader) throws(JSONError) in
        try PushRegistration(from: &reader)
      }
    }
    #expect(try read(#"{"token":"0a","environment":null}"#) == read(#"{"token":"0a"}"#))
  }

  @Test func aSoundHasAName() {
    for sound in [#""""#, #"{"name":""}"#] {
      let text = #"{"id":"n","content":{"sound":\#(sound)},\#(Self.trigger)}"#
      #expect(throws: JSONError.self, "\(text)") { try decodeNotification(text).get() }
    }
  }
}
