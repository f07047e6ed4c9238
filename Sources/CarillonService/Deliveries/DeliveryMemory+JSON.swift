import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonStore

/// How a memory is stored: `{"made":[[id, type, ms]],
/// "due":[[id, type, ms, revision, planVersion, repeats, lastPlanVersion]],
/// "superseded":[as in due, but in the last place by, the version after lastPlanVersion; then delay, and wallSeconds, if
/// any], "others":[as made],
/// "since":[[id, planVersion]], "handedOut": planVersion, "fetched": planVersion}`; nothing at all for an empty one.
extension DeliveryMemory {
  var stored: [UInt8] {
    guard !isEmpty else { return [] }
    var writer = JSONWriter(capacity: 64 + 64 * (made.count + due.count))
    writer.object { writer in
      writer.name("made")
      writer.array { writer in
        for delivery in made {
          writer.array { delivery.writeItems(to: &$0) }
        }
      }
      writer.name("due")
      writer.array { writer in
        for item in due {
          writer.array { writer in
            item.writeItems(to: &writer)
            writer.int(item.lastPlanVersion)
          }
        }
      }
      writer.name("superseded")
      writer.array { writer in
        for item in superseded {
          writer.array { writer in
            item.request.writeItems(to: &writer)
            writer.int(item.by)
            writer.int(Int(item.delay))
            if let wall = item.wallSeconds { writer.int(Int(wall)) }
          }
        }
      }
      if !others.isEmpty {
        writer.name("others")
        writer.array { writer in
          for delivery in others.sorted(by: { ($0.at, $0.id, $0.type) < ($1.at, $1.id, $1.type) }) {
            writer.array { delivery.writeItems(to: &$0) }
          }
        }
      }
      if let handedOut { writer.member("handedOut", handedOut) }
      if let fetched { writer.member("fetched", fetched) }
      guard !heldSince.isEmpty else { return }
      writer.name("since")
      writer.array { writer in
        for (id, version) in heldSince.sorted(by: { $0.key < $1.key }) {
          writer.array { writer in
            writer.string(id.text)
            writer.int(version)
          }
        }
      }
    }
    return writer.bytes
  }

  init(stored bytes: [UInt8]) throws(JSONError) {
    self.init()
    guard !bytes.isEmpty else { return }
    var made: [PastDelivery] = []
    var due: [Due] = []
    var superseded: [Superseded] = []
    var others: Set<PastDelivery> = []
    var heldSince: [NotificationID: Int] = [:]
    var handedOut: Int?
    var fetched: Int?
    try JSONReader.read(bytes) { (reader) throws(JSONError) in
      try reader.object { (reader, name) throws(JSONError) in
        switch name {
        case "made":
          try reader.array { (reader) throws(JSONError) in
            made.append(try Self.item(from: &reader).due.delivery)
          }
        case "due":
          try reader.array { (reader) throws(JSONError) in
            let item = try Self.item(from: &reader)
            due.append(item.due)
            due[due.count - 1].lastPlanVersion = max(item.version, item.due.planVersion)
          }
        case "superseded":
          try reader.array { (reader) throws(JSONError) in
            let item = try Self.item(from: &reader)
            superseded.append(
              Superseded(
                request: item.due, by: item.version, wallSeconds: item.wallSeconds, delay: item.delay))
            superseded[superseded.count - 1].request.lastPlanVersion = item.version - 1
          }
        case "others":
          try reader.array { (reader) throws(JSONError) in
            others.insert(try Self.item(from: &reader).due.delivery)
          }
        case "since":
          try reader.array { (reader) throws(JSONError) in
            let (id, version) = try Self.since(from: &reader)
            heldSince[id] = version
          }
        case "handedOut": handedOut = try reader.int(in: StoredNumbers.counters)
        case "fetched": fetched = try reader.int(in: StoredNumbers.counters)
        default: try reader.skip()
        }
      }
    }
    self.init(
      made: made, due: due, superseded: superseded, others: others, heldSince: heldSince,
      handedOut: handedOut, fetched: fetched)
  }

  private static func since(from reader: inout JSONReader) throws(JSONError) -> (NotificationID, Int) {
    var (id, version) = (NotificationID(unchecked: ""), 0)
    var place = 0
    try reader.array { (reader) throws(JSONError) in
      switch place {
      case 0: id = NotificationID(unchecked: try reader.string())
      case 1: version = try reader.int(in: StoredNumbers.counters)
      default: try reader.skip()
      }
      place += 1
    }
    return (id, version)
  }

  private static let wallSecondsRange =
    StoredNumbers.milliseconds.lowerBound / 1_000...StoredNumbers.milliseconds.upperBound / 1_000

  /// Each of the three, with the version after what it is of; a shorter one leaves the rest at 0.
  private static func item(
    from reader: inout JSONReader
  ) throws(JSONError) -> (due: Due, version: Int, delay: Int64, wallSeconds: Int64?) {
    var item = Due(
      delivery: PastDelivery(id: NotificationID(unchecked: ""), type: "", at: Instant(milliseconds: 0)),
      revisionHash: 0, planVersion: 0, lastPlanVersion: 0, repeats: false)
    var version = 0
    var delay: Int64 = 0
    var wallSeconds: Int64?
    var place = 0
    try reader.array { (reader) throws(JSONError) in
      switch place {
      case 0: item.delivery.id = NotificationID(unchecked: try reader.string())
      case 1: item.delivery.type = try reader.string()
      case 2: item.delivery.at = Instant(milliseconds: Int64(try reader.int(in: StoredNumbers.milliseconds)))
      case 3: item.revisionHash = Revision.hash(ofText: try reader.string())
      case 4: item.planVersion = try reader.int(in: StoredNumbers.counters)
      case 5: item.repeats = try reader.bool()
      case 6: version = try reader.int(in: StoredNumbers.counters)
      case 7: delay = Int64(try reader.int(in: StoredNumbers.milliseconds))
      case 8: wallSeconds = Int64(try reader.int(in: wallSecondsRange))
      default: try reader.skip()
      }
      place += 1
    }
    return (item, version, delay, wallSeconds)
  }
}

/// What only this module can read of a row.
package enum StoredDocuments {
  /// Whether a server can read a plan's memory of deliveries as it is stored.
  package static func areDeliveries(_ bytes: [UInt8]) -> Bool { (try? DeliveryMemory(stored: bytes)) != nil }
}

extension DeliveryMemory.Due {
  fileprivate func writeItems(to writer: inout JSONWriter) {
    delivery.writeItems(to: &writer)
    writer.string(StableHash.hex(revisionHash))
    writer.int(planVersion)
    writer.bool(repeats)
  }
}

extension PastDelivery {
  fileprivate func writeItems(to writer: inout JSONWriter) {
    writer.string(id.text)
    writer.string(type)
    writer.int(Int(at.milliseconds))
  }
}
