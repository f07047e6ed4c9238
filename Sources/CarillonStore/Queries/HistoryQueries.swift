import CarillonJSON
import CarillonModel
import CarillonPostgres

extension Query where Answer == DeviceTruth? {
  static func truth(tenant: TenantID, device: DeviceID) -> Query {
    .first(
      .deviceTruthsGet,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(device)
      }, row: { (rows, row) throws(StoreError) in try DeviceTruth(rows, row) })
  }
}

extension Query where Answer == [StoredDelivery] {
  /// What is open, and all of the ids given.
  static func deliveries(tenant: TenantID, device: DeviceID, mentioned: [NotificationID]) -> Query {
    .list(
      .deliveriesMentioned,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(device)
        parameters.ids(mentioned)
      }, row: StoredDelivery.init)
  }

  /// Newest first.
  /// - Parameter ofAll: whether other users' than the present one's are among them.
  static func deliveries(
    tenant: TenantID, device: DeviceID, before: DeliveryKey, limit: Int, ofAll: Bool
  ) -> Query {
    .list(
      .deliveriesPage,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(device)
        parameters.instant(before.dueAt)
        parameters.id(before.notification)
        parameters.instant(before.wishedAt)
        parameters.count(limit)
        parameters.bool(ofAll)
      }, row: StoredDelivery.init)
  }
}

extension Query where Answer == [StoredStateChange] {
  /// Newest first.
  /// - Parameter ofAll: whether to tell what others than the present user put and cancelled.
  static func changes(
    tenant: TenantID, device: DeviceID, before: Int64, limit: Int, ofAll: Bool
  ) -> Query {
    .list(
      .deviceChangesPage,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(device)
        parameters.int8(before)
        parameters.count(limit)
        parameters.bool(ofAll)
      }, row: StoredStateChange.init)
  }
}

extension DeviceTruth {
  /// - Parameter first: where its columns begin.
  init(_ rows: Rows, _ row: Int, from first: Int = 0) throws(StoreError) {
    self.init()
    lookedAt = rows.optional(row, first, Rows.instant)
    waiting = Set(rows.textArray(row, first + 1).map { NotificationID(unchecked: $0) })
    vanished = Set(rows.textArray(row, first + 2).map { NotificationID(unchecked: $0) })
    appliedPlanVersion = rows.optional(row, first + 3, Rows.version)
    do { tallies = try Self.tallies(rows.bytes(row, first + 4)) } catch { throw .unreadable(.tallies) }
    talliedAt = rows.optional(row, first + 5, Rows.instant)
    wasNoticeable = rows.bool(row, first + 6)
    fatiguedAt = rows.optional(row, first + 7, Rows.instant)
    drift = DriftCounts(
      dropped: Int(try rows.counter(row, first + 8)), unplanned: Int(try rows.counter(row, first + 9)),
      altered: Int(try rows.counter(row, first + 10)),
      at: rows.optional(row, first + 11, Rows.instant))
    lookedVersion = try rows.counter(row, first + 12)
    do { delivered = try Self.delivered(rows.bytes(row, first + 13)) } catch { throw .unreadable(.delivered) }
  }

  /// Whether a server can read ``delivered`` as it is stored.
  package static func canRead(delivered bytes: [UInt8]) -> Bool { (try? delivered(bytes)) != nil }

  /// Whether a server can read ``tallies`` as they are stored.
  package static func canRead(tallies bytes: [UInt8]) -> Bool { (try? tallies(bytes)) != nil }

  private static func delivered(_ bytes: [UInt8]) throws(JSONError) -> [NotificationID: Delivered] {
    try JSONReader.read(bytes) { (reader) throws(JSONError) in
      var all: [NotificationID: Delivered] = [:]
      try reader.array { (reader) throws(JSONError) in
        var id = NotificationID(unchecked: "")
        var times: [Instant] = []
        try reader.array { (reader) throws(JSONError) in
          if id.text.isEmpty {
            id = NotificationID(unchecked: try reader.string())
          } else {
            times.append(Instant(milliseconds: Int64(try reader.int(in: StoredNumbers.milliseconds))))
          }
        }
        guard times.count == 2 else { return }
        all[id] = Delivered(at: times[0], acceptedAt: times[1])
      }
      return all
    }
  }

  /// How many there were, older ones in part.
  private static func weight(from reader: inout JSONReader) throws(JSONError) -> Double {
    let weight = try reader.double()
    guard (0...Double(StoredNumbers.counters.upperBound)).contains(weight) else {
      throw reader.error(code: JSONError.outOfRange, detail: "\(weight) is no number of deliveries")
    }
    return weight
  }

  private static func tallies(_ bytes: [UInt8]) throws(JSONError) -> [TypeTally] {
    try JSONReader.read(bytes) { (reader) throws(JSONError) in
      var tallies: [TypeTally] = []
      try reader.array { (reader) throws(JSONError) in
        var tally = TypeTally(type: "", delivered: 0, tapped: 0)
        var place = 0
        try reader.array { (reader) throws(JSONError) in
          switch place {
          case 0: tally.type = try reader.string()
          case 1: tally.delivered = try weight(from: &reader)
          case 2: tally.tapped = try weight(from: &reader)
          default: try reader.skip()
          }
          place += 1
        }
        tallies.append(tally)
      }
      return tallies
    }
  }
}

extension StoredDelivery {
  fileprivate init(_ rows: Rows, _ row: Int) throws(StoreError) {
    guard let outcome = DeliveryOutcome(rawValue: rows.text(row, 5)) else { throw .unreadable(.delivery) }
    self.init(
      notification: rows.id(row, 0), wishedAt: rows.instant(row, 1), request: rows.id(row, 2),
      type: rows.text(row, 3), dueAt: rows.instant(row, 4), outcome: outcome,
      reason: rows.optional(row, 6, Rows.text))
    notedAt = rows.instant(row, 7)
    settledAt = rows.optional(row, 8, Rows.instant)
    tappedAt = rows.optional(row, 9, Rows.instant)
    dismissedAt = rows.optional(row, 10, Rows.instant)
    reach = rows.optional(row, 11, Rows.text).flatMap(Reach.init)
    unmetNeeds = rows.textArray(row, 12).compactMap(Need.init)
    if let revision = rows.optional(row, 13, Rows.digest), let version = rows.optional(row, 14, Rows.version)
    {
      held = Held(
        revisionHash: revision, planVersion: version, lastPlanVersion: rows.optional(row, 17, Rows.version),
        repeats: rows.bool(row, 15))
    }
    user = rows.optional(row, 16, Rows.text)
  }
}

extension StoredStateChange {
  fileprivate init(_ rows: Rows, _ row: Int) throws(StoreError) {
    let members: [DeviceStateChange.Member]
    do { members = try Self.members(rows.bytes(row, 7)) } catch { throw .unreadable(.changes) }
    self.init(
      number: rows.int(row, 0), at: rows.instant(row, 1), sequence: rows.optional(row, 2, Rows.int),
      sentAt: rows.optional(row, 3, Rows.instant), appVersion: rows.optional(row, 4, Rows.text),
      authorizationStatus: AuthorizationStatus(word: rows.text(row, 5)),
      fatigue: rows.optional(row, 6, Rows.text).flatMap(DeviceStateChange.Fatigue.init), members: members)
    edits.puts = rows.textArray(row, 8).map { NotificationID(unchecked: $0) }
    edits.cancels = rows.textArray(row, 9).map { NotificationID(unchecked: $0) }
    edits.more = rows.version(row, 10)
  }

  /// Whether a server can read what changed, as it is stored.
  package static func canRead(changes bytes: [UInt8]) -> Bool { (try? members(bytes)) != nil }

  private static func members(_ bytes: [UInt8]) throws(JSONError) -> [DeviceStateChange.Member] {
    try JSONReader.read(bytes) { (reader) throws(JSONError) in
      var members: [DeviceStateChange.Member] = []
      try reader.object { (reader, name) throws(JSONError) in
        let path = name.string
        var values: [String?] = []
        try reader.array { (reader) throws(JSONError) in
          values.append(try reader.null() ? nil : try reader.string())
        }
        members.append(.init(path: path, from: values.first ?? nil, to: values.last ?? nil))
      }
      return members.sorted { $0.path < $1.path }
    }
  }
}
