import CarillonJSON

extension Notification {
  /// Bytes of a type's or a group's name.
  public static let longestName = 128

  /// Reads a notification as it is put. Members that nobody knows are left out, in a trigger they are refused.
  /// - Parameter id: the id given elsewhere (in a path); the body may then leave it out, or must name the same.
  public init(from reader: inout JSONReader, id given: NotificationID? = nil) throws(JSONError) {
    var id = given
    var type: String?
    var content: NotificationContent?
    var contentPlace = 0
    var trigger: Trigger?
    var overdue = OverdueRule.expire
    var expiresAt: Instant?
    var needs: Set<Need> = []
    var inbox = true
    var group: String?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id" where try reader.null(): break
      case "id":
        let own = try reader.notificationID()
        guard given == nil || given == own else {
          throw reader.error(code: ModelError.idMismatch, detail: "another id than that of the path")
        }
        id = own
      case "type": type = try reader.optional(Notification.readName)
      case "content":
        content = try NotificationContent(from: &reader)
        contentPlace = reader.place
      case "trigger": trigger = try Trigger(from: &reader)
      case "overdue":
        overdue =
          try reader.optional { (reader) throws(JSONError) in try reader.word(OverdueRule.self) } ?? .expire
      case "expiresAt":
        expiresAt = try reader.optional { (reader) throws(JSONError) in try reader.triggerInstant() }
      case "needs":
        if try !reader.null() {
          try reader.array { (reader) throws(JSONError) in needs.insert(try reader.word(Need.self)) }
        }
      case "inbox": inbox = try reader.null() ? true : try reader.bool()
      case "group": group = try reader.optional(Notification.readName)
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let content else { throw reader.missingMember("content") }
    guard let trigger else { throw reader.missingMember("trigger") }
    let size = content.canonicalBytes.count
    guard size <= NotificationContent.largest else {
      throw reader.error(
        code: ModelError.contentTooLarge, detail: "\(size) bytes; at most \(NotificationContent.largest)",
        at: contentPlace)
    }
    self.init(
      head: NotificationHead(
        id: id, type: type, trigger: trigger, overdue: overdue, expiresAt: expiresAt, needs: needs,
        inbox: inbox,
        group: group, summary: content.summary),
      content: content)
  }

  /// One notification as a whole document.
  public init(parsing bytes: [UInt8], id: NotificationID? = nil) throws(JSONError) {
    self = try JSONReader.read(bytes) { (reader) throws(JSONError) in try Notification(from: &reader, id: id)
    }
  }

  private static func readName(_ reader: inout JSONReader) throws(JSONError) -> String {
    try reader.plainText(bytes: 1...longestName)
  }

  /// An array of notifications, each read by itself: a bad one is reported and does not touch the others.
  /// - Parameter pointer: where the array is in its document, as in `/put`.
  public static func readEach(
    from reader: inout JSONReader, pointer: String, _ take: (Result<Notification, RejectedItem>) -> Void
  ) throws(JSONError) {
    var index = 0
    try reader.array { (reader) throws(JSONError) in
      let range = try reader.raw()
      take(item(of: reader, in: range, pointer: "\(pointer)/\(index)"))
      index += 1
    }
  }

  private static func item(
    of reader: borrowing JSONReader, in range: Range<Int>, pointer: String
  ) -> Result<Notification, RejectedItem> {
    do throws(JSONError) {
      var item = reader.slice(range, pointer: pointer)
      return .success(try Notification(from: &item))
    } catch {
      var again = reader.slice(range, pointer: pointer)
      let id = try? again.stringMember("id")
      return .failure(RejectedItem(id: id ?? nil, error: error))
    }
  }

  /// Writes the form in which notifications are put; what has its default is left out.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    head.writeMembers(to: &writer, content: content.canonicalBytes)
    writer.endObject()
  }
}

extension RejectedItem: Error {}

extension NotificationHead {
  /// Writes the members of the put form into an object that is open, so that lists can add theirs.
  /// - Parameter content: its canonical JSON.
  public func writeMembers(to writer: inout JSONWriter, content: [UInt8]) {
    writer.member("id", id.text)
    writer.member("type", ifPresent: type)
    writer.name("content")
    writer.raw(content)
    writer.name("trigger")
    trigger.writeCanonical(to: &writer)
    if overdue != .expire { writer.member("overdue", overdue.rawValue) }
    if let expiresAt { writer.member("expiresAt", expiresAt) }
    if !needs.isEmpty {
      writer.name("needs")
      writer.array { writer in
        for need in Need.allCases where needs.contains(need) { writer.string(need.rawValue) }
      }
    }
    if !inbox { writer.member("inbox", false) }
    writer.member("group", ifPresent: group)
  }
}
