import CarillonClient
import CarillonJSON
import CarillonModel

/// What an in-memory center leaves to the next process.
public struct CenterSnapshot: Hashable, Sendable {
  public var pending: [CenterRequest]
  public var delivered: [DeliveredNotification]

  public init(pending: [CenterRequest] = [], delivered: [DeliveredNotification] = []) {
    self.pending = pending
    self.delivered = delivered
  }

  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.name("pending")
      writer.array { writer in for request in pending { request.write(to: &writer) } }
      writer.name("delivered")
      writer.array { writer in for notification in delivered { notification.write(to: &writer) } }
    }
    return writer.bytes
  }

  /// - Throws: when the bytes are not what ``json`` gave.
  public init(json bytes: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(bytes) { (reader) throws(JSONError) in
      var snapshot = CenterSnapshot()
      try reader.object { (reader, name) throws(JSONError) in
        switch name {
        case "pending":
          try reader.array { (reader) throws(JSONError) in
            snapshot.pending.append(try CenterRequest(from: &reader))
          }
        case "delivered":
          try reader.array { (reader) throws(JSONError) in
            snapshot.delivered.append(try DeliveredNotification(from: &reader))
          }
        default: try reader.skip()
        }
      }
      return snapshot
    }
  }
}

extension CenterRequest {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id.text)
      writer.name("content")
      writer.raw(content.canonicalBytes)
      if let trigger {
        writer.name("trigger")
        trigger.wished.writeCanonical(to: &writer)
      }
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    var id: String?
    var content: NotificationContent?
    var trigger: CenterTrigger?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.string()
      case "content": content = try NotificationContent(from: &reader)
      case "trigger": trigger = CenterTrigger(wished: try Trigger(from: &reader))
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let content else { throw reader.missingMember("content") }
    self.init(id: NotificationID(unchecked: id), content: content, trigger: trigger)
  }
}

extension CenterTrigger {
  /// In the words of the wire, which has a form for each of them.
  fileprivate var wished: Trigger {
    switch self {
    case .calendar(let components, let timeZone, let repeats):
      .calendar(CalendarTrigger(components: components, repeats: repeats, timeZone: timeZone))
    case .interval(let seconds, let repeats):
      .interval(IntervalTrigger(seconds: seconds, repeats: repeats))
    case .location(let region): .location(region)
    }
  }

  /// Nil for a form no center has.
  fileprivate init?(wished trigger: Trigger) {
    switch trigger {
    case .calendar(let calendar):
      self = .calendar(calendar.components, timeZone: calendar.timeZone, repeats: calendar.repeats)
    case .interval(let interval): self = .interval(seconds: interval.seconds, repeats: interval.repeats)
    case .location(let region): self = .location(region)
    case .instant, .local, .recurrence: return nil
    }
  }
}

extension DeliveredNotification {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id.text)
      writer.member("date", date.text)
      if let revision { writer.member("revision", revision) }
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    var id: String?
    var date: Instant?
    var revision: String?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.string()
      case "date": date = Instant(try reader.string())
      case "revision": revision = try reader.string()
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let date else { throw reader.missingMember("date") }
    self.init(id: NotificationID(unchecked: id), date: date, revision: revision)
  }
}
