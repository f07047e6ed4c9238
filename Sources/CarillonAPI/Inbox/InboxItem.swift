import CarillonJSON
import CarillonModel

/// An item of an inbox: what was announced, or was to be.
public struct InboxItem: Hashable, Sendable {
  /// Opaque, and the same on every device of a user.
  public var id: String
  /// The notification's id in the queue.
  public var notification: NotificationID
  public var type: String
  public var title: String?
  public var body: String?
  /// The JSON of `userInfo`; nil when the content has none.
  public var userInfo: [UInt8]?
  /// When its time came.
  public var at: Instant
  /// What became of the notification; a word of ``DeliveryOutcome``, or one of a newer server.
  public var outcome: String
  /// Whether it counts as unread: not read, not archived, not put off.
  public var unread: Bool
  public var seen: Bool
  public var archived: Bool
  /// Until when it is put off; nil when it is not, or is back.
  public var snoozedUntil: Instant?

  public init(
    key: InboxKey, type: String, title: String? = nil, body: String? = nil, userInfo: [UInt8]? = nil,
    at: Instant,
    outcome: DeliveryOutcome, unread: Bool, seen: Bool, archived: Bool, snoozedUntil: Instant? = nil
  ) {
    id = InboxItemID(key).text
    notification = key.notification
    self.type = type
    self.title = title
    self.body = body
    self.userInfo = userInfo
    self.at = at
    self.outcome = outcome.rawValue
    self.unread = unread
    self.seen = seen
    self.archived = archived
    self.snoozedUntil = snoozedUntil
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("notification", notification.text)
      writer.member("type", type)
      writer.name("title")
      if let title { writer.string(title) } else { writer.null() }
      writer.name("body")
      if let body { writer.string(body) } else { writer.null() }
      writer.name("userInfo")
      if let userInfo { writer.raw(userInfo) } else { writer.null() }
      writer.member("at", at)
      writer.member("outcome", outcome)
      writer.member("unread", unread)
      writer.member("seen", seen)
      writer.member("archived", archived)
      writer.member("snoozedUntil", orNull: snoozedUntil)
    }
  }

  public init(from reader: inout JSONReader) throws(JSONError) {
    var item = InboxItem(
      key: InboxKey(notification: NotificationID(unchecked: ""), wishedAt: Instant(milliseconds: 0)),
      type: "",
      at: Instant(milliseconds: 0), outcome: .open, unread: false, seen: false, archived: false)
    var found = (id: false, at: false)
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "id":
        item.id = try reader.string()
        found.id = true
      case "notification": item.notification = try reader.heldID()
      case "type": item.type = try reader.string()
      case "title": item.title = try reader.string()
      case "body": item.body = try reader.string()
      case "userInfo":
        let range = try reader.raw()
        item.userInfo = Array(reader.bytes(in: range))
      case "at":
        item.at = try reader.instant()
        found.at = true
      case "outcome": item.outcome = try reader.string()
      case "unread": item.unread = try reader.bool()
      case "seen": item.seen = try reader.bool()
      case "archived": item.archived = try reader.bool()
      case "snoozedUntil": item.snoozedUntil = try reader.instant()
      default: try reader.skip()
      }
    }
    guard found.id else { throw reader.missingMember("id") }
    guard found.at else { throw reader.missingMember("at") }
    self = item
  }
}

extension InboxItem {
  /// Takes from a content what an inbox shows.
  ///
  /// - Parameter content: its JSON, as stored.
  /// - Throws: ``JSONError`` when it cannot be read.
  public mutating func show(_ content: [UInt8]) throws(JSONError) {
    var item = self
    try JSONReader.read(content) { (reader) throws(JSONError) in
      try reader.object { (reader, name) throws(JSONError) in
        if try reader.null() { return }
        switch name {
        case "title": item.title = try reader.string()
        case "body": item.body = try reader.string()
        case "userInfo":
          let range = try reader.raw()
          item.userInfo = Array(reader.bytes(in: range))
        default: try reader.skip()
        }
      }
    }
    self = item
  }
}
