import CarillonJSON
import CarillonModel

/// What one sync changes of the inbox; `carillon.record_inbox` takes it in.
public struct InboxChange: Hashable, Sendable {
  /// Came due since the last sync: one item each, unless it is there already.
  public var due: [InboxOccurrence] = []
  /// Those of which more is known now.
  public var settled: [InboxOccurrence] = []

  public init(due: [InboxOccurrence] = [], settled: [InboxOccurrence] = []) {
    self.due = due
    self.settled = settled
  }

  public var isEmpty: Bool { due.isEmpty && settled.isEmpty }

  /// The function's parameter: a JSON object.
  var document: [UInt8] {
    var writer = JSONWriter(capacity: 64 + 160 * (due.count + settled.count))
    writer.object { writer in
      writer.name("due")
      writer.array { writer in for item in due { item.write(to: &writer) } }
      writer.name("settled")
      writer.array { writer in for item in settled { item.write(to: &writer) } }
    }
    return writer.bytes
  }
}

/// An occurrence of a notification whose time has come.
public struct InboxOccurrence: Hashable, Sendable {
  public var key: InboxKey
  /// When its time came: later than the wish where it was moved.
  public var at: Instant
  public var type: String
  public var outcome: DeliveryOutcome
  /// Whose inbox it goes to; nil: the one that the device showed.
  public var user: String?

  public init(
    key: InboxKey, at: Instant, type: String, outcome: DeliveryOutcome, user: String? = nil
  ) {
    self.key = key
    self.user = user
    self.at = at
    self.type = type
    self.outcome = outcome
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("n", key.notification.text)
      writer.member("w", key.wishedAt)
      writer.member("a", at)
      writer.member("t", type)
      writer.member("o", outcome.rawValue)
      if let user { writer.member("u", user) }
    }
  }
}
