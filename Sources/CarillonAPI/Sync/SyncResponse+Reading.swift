import CarillonJSON
import CarillonModel

extension SyncResponse {
  /// Reads an answer; members of newer servers are ignored.
  ///
  /// - Throws: ``JSONError`` when it is not the answer to a report.
  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body) { (reader) throws(JSONError) in try Self.read(&reader) }
  }

  private static func read(_ reader: inout JSONReader) throws(JSONError) -> SyncResponse {
    var response = SyncResponse(
      planVersion: 0, serverTime: Instant(milliseconds: 0), diff: SyncDiff(),
      slots: SlotCounts(slots: 0, foreign: 0, capacity: 0, held: 0, queued: 0))
    var found = (planVersion: false, serverTime: false, diff: false, slots: false)
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "deviceId": response.deviceId = try reader.deviceID()
      case "deviceToken": response.deviceToken = try reader.string()
      case "stale": response.isStale = try reader.bool()
      case "planVersion":
        response.planVersion = try reader.int(in: 0...Int.max)
        found.planVersion = true
      case "serverTime":
        response.serverTime = try reader.instant()
        found.serverTime = true
      case "diff":
        response.diff = try SyncDiff(from: &reader)
        found.diff = true
      case "slots":
        response.slots = try SlotCounts(from: &reader)
        found.slots = true
      case "refreshBy": response.refreshBy = try reader.instant()
      case "priming": response.priming = try PrimingDecision(from: &reader)
      case "inbox":
        try reader.object { (reader, name) throws(JSONError) in
          if name == "unread" { response.unread = try reader.int(in: 0...Int.max) } else { try reader.skip() }
        }
      case "rejected":
        var rejected: [RejectedItem] = []
        try reader.array { (reader) throws(JSONError) in rejected.append(try reader.rejectedItem()) }
        response.rejected = rejected
      case "policy": response.policy = try SyncPolicy(from: &reader)
      default: try reader.skip()
      }
    }
    guard found.planVersion else { throw reader.missingMember("planVersion") }
    guard found.serverTime else { throw reader.missingMember("serverTime") }
    guard found.diff else { throw reader.missingMember("diff") }
    guard found.slots else { throw reader.missingMember("slots") }
    return response
  }
}

extension SyncPolicy {
  public init(from reader: inout JSONReader) throws(JSONError) {
    var version: Int?
    var document: [UInt8]?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "version": version = try reader.int(in: 0...Int.max)
      case "document":
        let range = try reader.raw()
        document = Array(reader.bytes(in: range))
      default: try reader.skip()
      }
    }
    guard let version else { throw reader.missingMember("version") }
    guard let document else { throw reader.missingMember("document") }
    self.init(version: version, document: document)
  }
}

extension SyncDiff {
  init(from reader: inout JSONReader) throws(JSONError) {
    var diff = SyncDiff()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "remove":
        try reader.array { (reader) throws(JSONError) in diff.remove.append(try reader.heldID()) }
      case "add":
        try reader.array { (reader) throws(JSONError) in diff.add.append(try SyncAddition(from: &reader)) }
      default: try reader.skip()
      }
    }
    self = diff
  }
}

extension SyncAddition {
  public init(from reader: inout JSONReader) throws(JSONError) {
    var id: NotificationID?
    var revision: String?
    var fireAt: Instant?
    var trigger: Trigger?
    var content: [UInt8]?
    var type: String?
    var source: NotificationID?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.heldID()
      case "type": type = try reader.null() ? nil : try reader.string()
      case "source": source = try reader.null() ? nil : try reader.heldID()
      case "revision": revision = try reader.shortText()
      case "fireAt": fireAt = try reader.null() ? nil : try reader.instant()
      case "trigger": trigger = try Trigger(from: &reader)
      case "content":
        let range = try reader.raw()
        content = Array(reader.bytes(in: range))
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let revision else { throw reader.missingMember("revision") }
    guard let trigger else { throw reader.missingMember("trigger") }
    guard let content else { throw reader.missingMember("content") }
    self.init(
      id: id, revision: revision, fireAt: fireAt, trigger: trigger, content: content, type: type,
      source: source)
  }
}

extension SlotCounts {
  init(from reader: inout JSONReader) throws(JSONError) {
    var counts = SlotCounts(slots: 0, foreign: 0, capacity: 0, held: 0, queued: 0)
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "slots": counts.slots = try reader.int()
      case "foreign": counts.foreign = try reader.int()
      case "capacity": counts.capacity = try reader.int()
      case "held": counts.held = try reader.int()
      case "queued": counts.queued = try reader.int()
      default: try reader.skip()
      }
    }
    self = counts
  }
}
