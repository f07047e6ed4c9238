import CarillonJSON
import CarillonModel

/// The body of `POST …/inbox/{mark}`: `{"ids": […]}` or `{"before": instant}`; of a snooze also `{"until": instant}`,
/// null for an item that is to be back at once.
public struct InboxMarkRequest: Hashable, Sendable {
  public enum Targets: Hashable, Sendable {
    /// Of ``InboxItem/id``.
    case ids([String])
    /// All that came due before.
    case before(Instant)
  }

  public var targets: Targets
  /// Of a snooze.
  public var until: Instant?

  public init(_ targets: Targets, until: Instant? = nil) {
    self.targets = targets
    self.until = until
  }

  /// - Parameter mark: a snooze says until when, also where that is null.
  public func json(for mark: Route.InboxMark) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      switch targets {
      case .ids(let ids): writer.list("ids", ids) { $1.string($0) }
      case .before(let instant): writer.member("before", instant)
      }
      if mark == .snooze { writer.member("until", orNull: until) }
    }
    return writer.bytes
  }
}

/// A mark as the server reads it.
public struct ReceivedInboxMark: Hashable, Sendable {
  /// Nil: all that came due before ``before``.
  public var keys: [InboxKey]?
  public var before: Instant?
  public var until: Instant?

  /// - Throws: ``JSONError``. An id that is none of ours, both `ids` and `before` or neither, and a snooze without
  ///   `until` are refused: what they were meant to mark would be lost.
  public init(_ body: [UInt8], mark: Route.InboxMark) throws(JSONError) {
    self = try JSONReader.read(body, limits: WireLimits.syncJSON) { (reader) throws(JSONError) in
      var request = ReceivedInboxMark()
      var hasUntil = false
      try reader.object { (reader, name) throws(JSONError) in
        switch name {
        case "ids" where try reader.null(): break
        case "ids":
          request.keys = try reader.items(atMost: WireLimits.inboxIDs) { (reader) throws(JSONError) in
            try reader.inboxKey()
          }
        case "before": request.before = try reader.null() ? nil : try reader.instant()
        case "until" where mark == .snooze:
          hasUntil = true
          request.until = try reader.null() ? nil : try reader.instant()
        default: throw reader.unknownMember(name)
        }
      }
      guard (request.keys == nil) != (request.before == nil) else {
        throw reader.error(code: JSONError.invalidValue, detail: "either \"ids\" or \"before\" is wanted")
      }
      if mark == .snooze, !hasUntil { throw reader.missingMember("until") }
      return request
    }
  }

  private init() {}
}

extension JSONReader {
  fileprivate mutating func inboxKey() throws(JSONError) -> InboxKey {
    guard let id = InboxItemID(try string()) else {
      throw error(code: ModelError.invalidId, detail: "send the id of an item as the inbox gave it")
    }
    return id.key
  }
}
