import CarillonJSON

extension Explanation {
  /// Reads what ``write(to:)`` wrote; members of newer servers are ignored.
  public init(from reader: inout JSONReader) throws(JSONError) {
    var id: NotificationID?
    var state: State?
    var read = Explanation(
      id: NotificationID(unchecked: ""), state: .unknown,
      slots: SlotUse(slots: 0, foreign: 0, capacity: 0, held: 0, queued: 0, order: .soonestFirst))
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "id": id = NotificationID(unchecked: try reader.string())
      case "notification": read.notification = NotificationID(unchecked: try reader.string())
      case "state": state = try reader.word(State.self)
      case "reason": read.reason = try reader.string()
      case "summary": read.summary = try reader.string()
      case "type": read.type = try TypeReason(from: &reader)
      case "priority": read.priority = try PriorityReason(from: &reader)
      case "requestedAt": read.requestedAt = try reader.instant()
      case "fireAt": read.fireAt = try reader.instant()
      case "moves":
        try reader.array { (reader) throws(JSONError) in read.moves.append(try Move(from: &reader)) }
      case "rank": read.rank = try reader.int()
      case "slot": read.slot = try reader.word(HeldRequest.Slot.self)
      case "reach": read.reach = try reader.word(Reach.self)
      case "unmetNeeds":
        try reader.array { (reader) throws(JSONError) in read.unmetNeeds.append(try reader.word(Need.self)) }
      case "tookSlot": read.tookSlot = try Competitor(from: &reader)
      case "waitingBefore": read.waitingBefore = try reader.int()
      case "runnerUp": read.runnerUp = try Competitor(from: &reader)
      case "digest": read.digest = NotificationID(unchecked: try reader.string())
      case "occurrences":
        try reader.array { (reader) throws(JSONError) in
          read.occurrences.append(try Occurrence(from: &reader))
        }
      case "slots": read.slots = try SlotUse(from: &reader)
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    guard let state else { throw reader.missingMember("state") }
    self = read
    self.id = id
    self.state = state
  }
}

extension Explanation.TypeReason {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init(name: "", by: .none)
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "name": self.name = try reader.string()
      case "by": by = try reader.word(Source.self)
      case "prefix": prefix = try reader.optionalString()
      default: try reader.skip()
      }
    }
  }
}

extension Explanation.PriorityReason {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init(effective: 0, base: 0, reasons: [])
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "effective": effective = try reader.int()
      case "base": base = try reader.int()
      case "reasons":
        try reader.array { (reader) throws(JSONError) in
          var reason = Explanation.Reason("", "")
          try reader.object { (reader, name) throws(JSONError) in
            switch name {
            case "code": reason.code = try reader.string()
            case "detail": reason.detail = try reader.string()
            default: try reader.skip()
            }
          }
          reasons.append(reason)
        }
      default: try reader.skip()
      }
    }
  }
}

extension Explanation.Competitor {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init(id: NotificationID(unchecked: ""), type: "", priority: 0, fireAt: nil, rank: 0)
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = NotificationID(unchecked: try reader.string())
      case "type": type = try reader.string()
      case "priority": priority = try reader.int()
      case "fireAt": fireAt = try reader.optional { (reader) throws(JSONError) in try reader.instant() }
      case "rank": rank = try reader.int()
      default: try reader.skip()
      }
    }
  }
}

extension Explanation.Occurrence {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      id: NotificationID(unchecked: ""), fireAt: Instant(milliseconds: 0), state: .unknown, rank: 0)
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = NotificationID(unchecked: try reader.string())
      case "fireAt": fireAt = try reader.instant()
      case "state": state = try reader.word(Explanation.State.self)
      case "rank": rank = try reader.int()
      default: try reader.skip()
      }
    }
  }
}

extension Explanation.SlotUse {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init(slots: 0, foreign: 0, capacity: 0, held: 0, queued: 0, order: .soonestFirst)
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "slots": slots = try reader.int()
      case "foreign": foreign = try reader.int()
      case "capacity": capacity = try reader.int()
      case "held": held = try reader.int()
      case "queued": queued = try reader.int()
      case "order": order = try reader.word(RankOrder.self)
      default: try reader.skip()
      }
    }
  }
}
