import CarillonAPI
import CarillonJSON
import CarillonModel

extension ClientState {
  /// Grows when an older SDK could no longer read what a newer one wrote.
  static let storedFormat = 2
  static let limits = JSONLimits(
    depth: 64, values: 50_000_000, bytes: FileStateStore.largestFile)

  var stored: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("format", Self.storedFormat)
      writer.member("deviceId", deviceId.uuid.text)
      writer.member("sequence", Int(sequence))
      writer.member("planVersion", planVersion)
      if let refreshBy { writer.member("refreshBy", refreshBy.text) }
      writer.name("outbox")
      writer.array { writer in for entry in outbox.entries { entry.write(to: &writer) } }
      writer.name("plan")
      writer.raw(packedPlan.bytes)
      writer.name("plannedHere")
      writer.array { writer in for entry in plannedHere { entry.write(to: &writer) } }
      if let policy {
        writer.name("policy")
        policy.write(to: &writer)
      }
      if let zoneData { writer.member("zoneData", zoneData) }
      writer.member("unread", unread)
    }
    return writer.bytes
  }

  init(stored bytes: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(bytes, limits: Self.limits) { (reader) throws(JSONError) in
      try ClientState(from: &reader)
    }
  }

  private init(from reader: inout JSONReader) throws(JSONError) {
    var format: Int?
    var device: UUID128?
    var state = ClientState(deviceId: DeviceID(UUID128(high: 0, low: 0)))
    var entries: [Outbox.Entry] = []
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "format": format = try reader.int(in: 1...Self.storedFormat)
      case "deviceId": device = UUID128(try reader.string())
      case "sequence": state.sequence = Int64(try reader.int(in: 0...Int.max))
      case "planVersion": state.planVersion = try reader.int(in: 0...Int.max)
      case "refreshBy": state.refreshBy = Instant(try reader.string())
      case "outbox":
        try reader.array { (reader) throws(JSONError) in
          entries.append(try Outbox.Entry(from: &reader))
        }
      // From format 2 on.
      case "plan": state.plan = try PackedRequests.read(&reader)
      case "plannedHere": state.plannedHere = try PackedRequests.read(&reader)
      case "policy": state.policy = try SyncPolicy(from: &reader)
      case "zoneData": state.zoneData = try reader.string()
      case "unread": state.unread = try reader.int(in: 0...Int.max)
      default: try reader.skip()
      }
    }
    guard format != nil else { throw reader.missingMember("format") }
    guard let device else { throw reader.missingMember("deviceId") }
    state.deviceId = DeviceID(device)
    state.outbox = Outbox(entries: entries)
    self = state
  }
}

extension Outbox.Entry {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("number", number)
      switch operation {
      case .put(let notification):
        writer.name("put")
        notification.write(to: &writer)
      case .cancel(let id): writer.member("cancel", id.text)
      case .event(let event):
        writer.name("event")
        event.write(to: &writer)
      }
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    var number: Int?
    var operation: OutboxOperation?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "number": number = try reader.int(in: 0...Int.max)
      case "put": operation = .put(try Notification(from: &reader))
      case "event": operation = .event(try SyncEvent(from: &reader))
      case "cancel": operation = .cancel(NotificationID(unchecked: try reader.string()))
      default: try reader.skip()
      }
    }
    guard let number else { throw reader.missingMember("number") }
    guard let operation else { throw reader.missingMember("put") }
    self.init(number: number, operation: operation)
  }
}
