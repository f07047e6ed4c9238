import CarillonJSON
import CarillonModel

/// The answer to a report: what the device must change to hold its plan.
public struct SyncResponse: Hashable, Sendable {
  /// Only when the report's installation id was another installation's: the id to use from now on.
  public var deviceId: DeviceID?
  /// Comes with ``deviceId`` when a device token made the call.
  public var deviceToken: String?
  /// Whether a newer report was there already; then nothing was changed.
  public var isStale = false
  public var planVersion: Int
  public var serverTime: Instant
  public var diff: SyncDiff
  public var slots: SlotCounts
  /// The moment by which the device must have synced; nil when nothing waits.
  public var refreshBy: Instant?
  /// The next step on the way to permission.
  public var priming = PrimingDecision(.none, .noValueAction)
  public var unread = 0
  public var rejected: [RejectedItem] = []
  /// Only for a device that asked, when it is another one than what the device has.
  public var policy: SyncPolicy?

  public init(planVersion: Int, serverTime: Instant, diff: SyncDiff, slots: SlotCounts) {
    self.planVersion = planVersion
    self.serverTime = serverTime
    self.diff = diff
    self.slots = slots
  }
}

/// The policy in force, for a device that plans when it cannot reach the server.
public struct SyncPolicy: Hashable, Sendable {
  /// 0: none was put yet.
  public var version: Int
  /// Its JSON, as it was put.
  public var document: [UInt8]

  public init(version: Int, document: [UInt8]) {
    self.version = version
    self.document = document
  }
}

/// First all removes, then all adds.
public struct SyncDiff: Hashable, Sendable {
  public var remove: [NotificationID]
  public var add: [SyncAddition]

  public init(remove: [NotificationID] = [], add: [SyncAddition] = []) {
    self.remove = remove
    self.add = add
  }

  public var isEmpty: Bool { remove.isEmpty && add.isEmpty }
}

/// A request the device must add; it replaces one of the same id.
public struct SyncAddition: Hashable, Sendable {
  public var id: NotificationID
  /// 16 hexadecimal digits, to be kept and reported with the request.
  public var revision: String
  /// Nil for a location.
  public var fireAt: Instant?
  public var trigger: Trigger
  /// The content's JSON, as it was stored.
  public var content: [UInt8]
  /// The name of its type in the policy; only for a device that plans.
  public var type: String?
  /// The notification it was made from, where that has another id; only for a device that plans.
  public var source: NotificationID?

  public init(
    id: NotificationID, revision: String, fireAt: Instant?, trigger: Trigger, content: [UInt8],
    type: String? = nil, source: NotificationID? = nil
  ) {
    self.id = id
    self.revision = revision
    self.fireAt = fireAt
    self.trigger = trigger
    self.content = content
    self.type = type
    self.source = source
  }
}

/// Where the device's slots go.
public struct SlotCounts: Hashable, Sendable {
  public var slots: Int
  public var foreign: Int
  public var capacity: Int
  public var held: Int
  public var queued: Int

  public init(slots: Int, foreign: Int, capacity: Int, held: Int, queued: Int) {
    self.slots = slots
    self.foreign = foreign
    self.capacity = capacity
    self.held = held
    self.queued = queued
  }

  public init(_ plan: Plan) {
    self.init(
      slots: plan.slots, foreign: plan.foreign, capacity: plan.capacity, held: plan.held.count,
      queued: plan.queued.count)
  }
}

extension SyncResponse {
  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 512 + diff.add.reduce(0) { $0 + $1.content.count + 256 })
    write(to: &writer)
    return writer.bytes
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let deviceId { writer.member("deviceId", deviceId.text) }
      if let deviceToken { writer.member("deviceToken", deviceToken) }
      if isStale { writer.member("stale", true) }
      writer.member("planVersion", planVersion)
      writer.member("serverTime", serverTime)
      writer.name("diff")
      diff.write(to: &writer)
      writer.name("slots")
      slots.write(to: &writer)
      writer.member("refreshBy", orNull: refreshBy)
      writer.name("priming")
      priming.write(to: &writer)
      writer.name("inbox")
      writer.object { $0.member("unread", unread) }
      writer.list("rejected", rejected) { $0.write(to: &$1) }
      if let policy {
        writer.name("policy")
        policy.write(to: &writer)
      }
    }
  }
}

extension SyncPolicy {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("version", version)
      writer.name("document")
      writer.raw(document)
    }
  }
}

extension SyncDiff {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.list("remove", remove) { $1.string($0.text) }
      writer.list("add", add) { $0.write(to: &$1) }
    }
  }
}

extension SyncAddition {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id.text)
      writer.member("revision", revision)
      writer.member("fireAt", orNull: fireAt)
      writer.name("trigger")
      trigger.writeCanonical(to: &writer)
      writer.name("content")
      writer.raw(content)
      if let type { writer.member("type", type) }
      if let source { writer.member("source", source.text) }
    }
  }
}

extension SlotCounts {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("slots", slots)
      writer.member("foreign", foreign)
      writer.member("capacity", capacity)
      writer.member("held", held)
      writer.member("queued", queued)
    }
  }
}
