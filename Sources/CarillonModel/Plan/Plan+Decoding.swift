import CarillonJSON

extension Plan {
  /// Reads a plan of the wire; contents and diff are passed over, and so is a member that a later version adds.
  public init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "version": version = try reader.int()
      case "policyVersion": policyVersion = try reader.int()
      case "zoneData": zoneData = try reader.string()
      case "slots": slots = try reader.int()
      case "foreign": foreign = try reader.int()
      case "capacity": capacity = try reader.int()
      case "starved": starved = try reader.bool()
      case "held":
        try reader.array { (reader) throws(JSONError) in held.append(try HeldRequest(from: &reader)) }
      case "queued":
        try reader.array { (reader) throws(JSONError) in queued.append(try QueuedRequest(from: &reader)) }
      case "rejected":
        try reader.array { (reader) throws(JSONError) in rejected.append(try RejectedRequest(from: &reader)) }
      case "withheld":
        try reader.array { (reader) throws(JSONError) in withheld.append(try WithheldRequest(from: &reader)) }
      case "expired":
        try reader.array { (reader) throws(JSONError) in expired.append(try ExpiredRequest(from: &reader)) }
      case "evictionsByType":
        try reader.object { (reader, name) throws(JSONError) in
          let type = name.string
          evictionsByType[type] = try reader.int()
        }
      case "refreshBy": refreshBy = try reader.optional { (reader) throws(JSONError) in try reader.instant() }
      case "coversUntil":
        coversUntil = try reader.optional { (reader) throws(JSONError) in try reader.instant() }
      default: try reader.skip()
      }
    }
  }

  /// Reads what ``PlanEncoder/write(_:rejected:diff:unread:contents:to:)`` gave.
  public static func decode(_ bytes: [UInt8]) throws(JSONError) -> Plan {
    try JSONReader.read(bytes) { (reader) throws(JSONError) in try Plan(from: &reader) }
  }
}

extension HeldRequest {
  public init(from reader: inout JSONReader) throws(JSONError) {
    var id: NotificationID?
    var trigger: Trigger?
    // The rest is known once the id and the trigger are.
    var rest = HeldRequest(
      id: NotificationID(unchecked: ""), source: NotificationID(unchecked: ""), type: "", priority: 0,
      fireAt: nil,
      revision: "", trigger: .instant(Instant(milliseconds: 0)), reach: .none, slot: .rank)
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.heldID()
      case "type": rest.type = try reader.string()
      case "priority": rest.priority = try reader.int()
      case "fireAt": rest.fireAt = try reader.optional { (reader) throws(JSONError) in try reader.instant() }
      case "revision": rest.revision = try reader.string()
      case "trigger": trigger = try Trigger(from: &reader)
      case "reach": rest.reach = try reader.word(Reach.self)
      case "unmetNeeds":
        try reader.array { (reader) throws(JSONError) in rest.unmetNeeds.append(try reader.word(Need.self)) }
      case "moves":
        try reader.array { (reader) throws(JSONError) in rest.moves.append(try Move(from: &reader)) }
      case "slot": rest.slot = try reader.word(Slot.self)
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let trigger else { throw reader.missingMember("trigger") }
    self = rest
    self.id = id
    self.source = id
    self.trigger = trigger
  }
}

extension JSONReader {
  /// An id that the planner may have lengthened by an occurrence's time.
  fileprivate mutating func heldID() throws(JSONError) -> NotificationID {
    NotificationID(unchecked: try plainText(bytes: 1...NotificationID.longestMade))
  }
}

extension Move {
  init(from reader: inout JSONReader) throws(JSONError) {
    var by = ""
    var from: Instant?
    var to: Instant?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "by": by = try reader.string()
      case "from": from = try reader.instant()
      case "to": to = try reader.instant()
      default: try reader.skip()
      }
    }
    guard let from else { throw reader.missingMember("from") }
    guard let to else { throw reader.missingMember("to") }
    self.init(by: by, from: from, to: to)
  }
}

extension QueuedRequest {
  public init(from reader: inout JSONReader) throws(JSONError) {
    var id: NotificationID?
    var type = ""
    var fireAt: Instant?
    var rank = 0
    var reason: Reason?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.heldID()
      case "type": type = try reader.string()
      case "fireAt": fireAt = try reader.optional { (reader) throws(JSONError) in try reader.instant() }
      case "rank": rank = try reader.int()
      case "reason": reason = try reader.word(Reason.self)
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let reason else { throw reader.missingMember("reason") }
    self.init(id: id, type: type, fireAt: fireAt, rank: rank, reason: reason)
  }
}

extension RejectedRequest {
  public init(from reader: inout JSONReader) throws(JSONError) {
    var id: NotificationID?
    var (pointer, code, detail) = ("", "", "")
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      // Null where an item was refused before its id was known; an empty one stands for it.
      case "id": id = try reader.optional { (reader) throws(JSONError) in try reader.heldID() }
      case "pointer": pointer = try reader.string()
      case "code": code = try reader.string()
      case "detail": detail = try reader.string()
      default: try reader.skip()
      }
    }
    self.init(id: id ?? NotificationID(unchecked: ""), pointer: pointer, code: code, detail: detail)
  }
}

extension WithheldRequest {
  public init(from reader: inout JSONReader) throws(JSONError) {
    var id: NotificationID?
    var reason: Reason?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.heldID()
      case "reason": reason = try reader.word(Reason.self)
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let reason else { throw reader.missingMember("reason") }
    self.init(id: id, reason: reason)
  }
}

extension ExpiredRequest {
  public init(from reader: inout JSONReader) throws(JSONError) {
    var id: NotificationID?
    var fireAt: Instant?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.heldID()
      case "fireAt": fireAt = try reader.instant()
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let fireAt else { throw reader.missingMember("fireAt") }
    self.init(id: id, fireAt: fireAt)
  }
}
