import CarillonJSON
import CarillonModel

/// A notification as a queue shows it: as it was put, and where it stands.
public struct NotificationItem: Hashable, Sendable {
  /// Where the last plan put it; ``accepted``: no plan was made since it was put.
  public enum State: String, Hashable, Sendable, CaseIterable {
    case accepted, held, queued, withheld, expired
  }

  public var head: NotificationHead
  /// The content's canonical JSON.
  public var content: [UInt8]
  /// By the policy, unless the notification gives one.
  public var type: String
  public var priority: Int
  /// The next fire, as wished until a plan moves it; nil for a location and for what never fires again.
  public var fireAt: Instant?
  public var state: State
  public var createdAt: Instant

  public init(
    head: NotificationHead, content: [UInt8], type: String, priority: Int, fireAt: Instant?, state: State,
    createdAt: Instant
  ) {
    self.head = head
    self.content = content
    self.type = type
    self.priority = priority
    self.fireAt = fireAt
    self.state = state
    self.createdAt = createdAt
  }

  public var json: [UInt8] {
    var writer = JSONWriter(capacity: content.count + 512)
    write(to: &writer)
    return writer.bytes
  }

  public func write(to writer: inout JSONWriter) {
    var shown = head
    shown.type = type
    writer.object { writer in
      shown.writeMembers(to: &writer, content: content)
      writer.member("priority", priority)
      writer.member("fireAt", orNull: fireAt)
      writer.member("state", state.rawValue)
      writer.member("createdAt", createdAt)
    }
  }

  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body) { (reader) throws(JSONError) in try NotificationItem(from: &reader) }
  }

  public init(from reader: inout JSONReader) throws(JSONError) {
    let range = try reader.raw()
    var slice = reader.slice(range, pointer: "")
    let notification = try Notification(from: &slice)
    self.init(
      head: notification.head, content: notification.content.canonicalBytes,
      type: notification.head.type ?? "", priority: 99, fireAt: nil, state: .accepted,
      createdAt: Instant(milliseconds: 0))
    var again = reader.slice(range, pointer: "")
    try again.object { (reader, name) throws(JSONError) in
      switch name {
      case "priority": priority = try reader.int()
      case "fireAt": fireAt = try reader.null() ? nil : try reader.instant()
      case "state":
        let text = try reader.string()
        guard let known = State(rawValue: text) else {
          throw reader.error(code: JSONError.invalidValue, detail: "\"\(text)\" is no state of this version")
        }
        state = known
      case "createdAt": createdAt = try reader.instant()
      default: try reader.skip()
      }
    }
  }
}
