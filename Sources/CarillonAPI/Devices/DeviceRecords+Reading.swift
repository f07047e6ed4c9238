import CarillonJSON
import CarillonModel

/// The records of a device as a client reads them; members of newer servers are ignored.
extension DeliveryItem {
  public init(from reader: inout JSONReader) throws(JSONError) {
    var notification: NotificationID?
    var outcome: DeliveryOutcome?
    let start = Instant(milliseconds: 0)
    var item = DeliveryItem(
      notification: NotificationID(unchecked: ""), wishedAt: start, request: NotificationID(unchecked: ""),
      type: "", at: start, outcome: .open)
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "notification": notification = try reader.heldID()
      case "wishedAt": item.wishedAt = try reader.instant()
      case "request": item.request = try reader.heldID()
      case "type": item.type = try reader.string()
      case "at": item.at = try reader.instant()
      case "outcome": outcome = try reader.oneOf(DeliveryOutcome.self)
      case "reason": item.reason = try reader.string()
      case "settledAt": item.settledAt = try reader.instant()
      case "tappedAt": item.tappedAt = try reader.instant()
      case "dismissedAt": item.dismissedAt = try reader.instant()
      case "reach": item.reach = try reader.oneOf(Reach.self)
      case "unmetNeeds":
        try reader.array { (reader) throws(JSONError) in item.unmetNeeds.append(try reader.oneOf(Need.self)) }
      default: try reader.skip()
      }
    }
    guard let notification else { throw reader.missingMember("notification") }
    guard let outcome else { throw reader.missingMember("outcome") }
    item.notification = notification
    item.outcome = outcome
    self = item
  }
}

extension DeviceChangeItem {
  public init(from reader: inout JSONReader) throws(JSONError) {
    var number: Int64?
    var item = DeviceChangeItem(
      number: 0, at: Instant(milliseconds: 0), sequence: nil, sentAt: nil, appVersion: nil,
      authorizationStatus: .notDetermined, fatigue: nil, changes: [])
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "number": number = Int64(try reader.int())
      case "at": item.at = try reader.instant()
      case "sequence": item.sequence = Int64(try reader.int())
      case "sentAt": item.sentAt = try reader.instant()
      case "appVersion": item.appVersion = try reader.string()
      case "authorizationStatus": item.authorizationStatus = try AuthorizationStatus(from: &reader)
      case "fatigue": item.fatigue = try reader.string()
      case "changes":
        try reader.array { (reader) throws(JSONError) in item.changes.append(try Change(from: &reader)) }
      case "puts": try reader.array { (reader) throws(JSONError) in item.puts.append(try reader.heldID()) }
      case "cancels":
        try reader.array { (reader) throws(JSONError) in item.cancels.append(try reader.heldID()) }
      case "more": item.more = try reader.int()
      default: try reader.skip()
      }
    }
    guard let number else { throw reader.missingMember("number") }
    item.number = number
    self = item
  }
}

extension DeviceChangeItem.Change {
  init(from reader: inout JSONReader) throws(JSONError) {
    self.init(member: "", from: nil, to: nil)
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "member": member = try reader.string()
      case "from": from = try reader.string()
      case "to": to = try reader.string()
      default: try reader.skip()
      }
    }
  }
}

extension DeviceStanding {
  /// Reads one member of a device; false: it is none of the standing's.
  mutating func read(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) -> Bool {
    switch name {
    case "fatiguedAt": fatiguedAt = try reader.instant()
    case "drift": drift = try Drift(from: &reader)
    case "reach":
      try reader.object { (reader, name) throws(JSONError) in
        if let reach = Reach(rawValue: name.string) {
          self.reach[reach] = try reader.int()
        } else {
          try reader.skip()
        }
      }
    case "unmetNeeds":
      try reader.object { (reader, name) throws(JSONError) in
        if let need = Need(rawValue: name.string) {
          unmetNeeds[need] = try reader.int()
        } else {
          try reader.skip()
        }
      }
    default: return false
    }
    return true
  }
}

extension DeviceStanding.Drift {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "dropped": dropped = try reader.int()
      case "unplanned": unplanned = try reader.int()
      case "altered": altered = try reader.int()
      case "lastAt": lastAt = try reader.instant()
      default: try reader.skip()
      }
    }
  }
}
