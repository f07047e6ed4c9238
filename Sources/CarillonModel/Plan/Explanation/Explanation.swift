/// Why one notification is held, waits, is withheld, has expired or is unknown: each step of the planner that
/// concerned it.
public struct Explanation: Hashable, Sendable {
  public enum State: String, Hashable, Sendable, CaseIterable {
    case held, queued, withheld, expired, rejected, unknown
  }

  /// As it was asked for: an id of the queue, of one occurrence, or of a digest.
  public var id: NotificationID
  /// The entry of the queue it comes from; nil when the queue has none.
  public var notification: NotificationID?
  public var state: State
  /// The plan's word for why it is not held, e.g. `noSlot`, `denied` or a code of refusal; nil when it is held.
  public var reason: String?
  /// All of it in a sentence or two, for people.
  public var summary: String
  public var type: TypeReason?
  public var priority: PriorityReason?
  /// The time that was wished for; nil for a location and for what is unknown.
  public var requestedAt: Instant?
  /// The time it is planned for, after all moves.
  public var fireAt: Instant?
  /// From `requestedAt` to `fireAt`.
  public var moves: [Move] = []
  /// Its place by the policy's order, from 1; locations are ranked among themselves.
  public var rank: Int?
  public var slot: HeldRequest.Slot?
  public var reach: Reach?
  public var unmetNeeds: [Need] = []
  /// For what waits for a slot: the one that got the last slot before it.
  public var tookSlot: Competitor?
  /// How many others that wait come before it.
  public var waitingBefore: Int?
  /// For what is held: the one that would get its slot if it left.
  public var runnerUp: Competitor?
  /// The request that stands for it at the end of a quiet window.
  public var digest: NotificationID?
  /// All requests that a repeating notification was expanded into, by fire.
  public var occurrences: [Occurrence] = []
  public var slots: SlotUse

  public init(id: NotificationID, state: State, summary: String = "", slots: SlotUse) {
    self.id = id
    self.state = state
    self.summary = summary
    self.slots = slots
  }
}

extension Explanation {
  /// How a notification came to its type.
  public struct TypeReason: Hashable, Sendable {
    public enum Source: String, Hashable, Sendable, CaseIterable {
      /// The notification names it.
      case given
      /// The longest prefix of the policy that its id begins with.
      case prefix
      /// Nothing matched.
      case none
    }
    public var name: String
    public var by: Source
    public var prefix: String?

    public init(name: String, by: Source, prefix: String? = nil) {
      self.name = name
      self.by = by
      self.prefix = prefix
    }
  }

  /// The effective priority, and what made it so.
  public struct PriorityReason: Hashable, Sendable {
    public var effective: Int
    /// The type's own.
    public var base: Int
    public var reasons: [Reason]

    public init(effective: Int, base: Int, reasons: [Reason]) {
      self.effective = effective
      self.base = base
      self.reasons = reasons
    }
  }

  public struct Reason: Hashable, Sendable {
    /// `type`, `userSet`, `notAdaptive`, `tooFewSamples`, `tapRate`, `fatigued`.
    public var code: String
    public var detail: String

    public init(_ code: String, _ detail: String) {
      self.code = code
      self.detail = detail
    }
  }

  /// Another request it competes with.
  public struct Competitor: Hashable, Sendable {
    public var id: NotificationID
    public var type: String
    public var priority: Int
    public var fireAt: Instant?
    public var rank: Int

    public init(id: NotificationID, type: String, priority: Int, fireAt: Instant?, rank: Int) {
      self.id = id
      self.type = type
      self.priority = priority
      self.fireAt = fireAt
      self.rank = rank
    }
  }

  public struct Occurrence: Hashable, Sendable {
    public var id: NotificationID
    public var fireAt: Instant
    public var state: State
    public var rank: Int

    public init(id: NotificationID, fireAt: Instant, state: State, rank: Int) {
      self.id = id
      self.fireAt = fireAt
      self.state = state
      self.rank = rank
    }
  }

  /// Where the device's slots go.
  public struct SlotUse: Hashable, Sendable {
    public var slots: Int
    public var foreign: Int
    public var capacity: Int
    public var held: Int
    public var queued: Int
    public var order: RankOrder

    public init(slots: Int, foreign: Int, capacity: Int, held: Int, queued: Int, order: RankOrder) {
      self.slots = slots
      self.foreign = foreign
      self.capacity = capacity
      self.held = held
      self.queued = queued
      self.order = order
    }
  }
}
