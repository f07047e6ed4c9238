import CarillonModel
import CarillonPostgres

extension Query where Answer == [StoredEntry] {
  static func heads(tenant: TenantID, device: DeviceID) -> Query {
    .list(.notificationsHeads) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } row: { (rows, row) throws(StoreError) in
      StoredEntry(
        head: try rows.head(row, id: 0, head: 1), acceptedAt: rows.instant(row, 2),
        putVersion: rows.int(row, 3), user: rows.optional(row, 4, Rows.text))
    }
  }
}

extension Query where Answer == StoredNotification? {
  static func notification(
    tenant: TenantID, device: DeviceID, user: BoundUser?, id: NotificationID
  ) -> Query {
    .first(
      .notificationsGet,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(device)
        parameters.id(id)
        parameters.text(user?.id)
      }, row: StoredNotification.init)
  }
}

extension Query where Answer == [StoredNotification] {
  static func notifications(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, after: NotificationID?, limit: Int
  ) -> Query {
    .list(
      .notificationsPage,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(device)
        // Every id comes after the empty one.
        parameters.text(after?.text ?? "")
        parameters.count(limit)
        parameters.text(user?.id)
      }, row: StoredNotification.init)
  }
}

extension Query where Answer == [NotificationID: [UInt8]] {
  static func contents(tenant: TenantID, device: DeviceID, ids: [NotificationID]) -> Query {
    Query(.notificationsContents) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.ids(ids)
    } read: { rows in
      var result: [NotificationID: [UInt8]] = [:]
      result.reserveCapacity(rows.count)
      for row in 0..<rows.count { result[rows.id(row, 0)] = rows.bytes(row, 1) }
      return result
    }
  }
}

extension Query where Answer == ForeseenPut {
  static func foresee(_ item: QueueItem, tenant: TenantID, device: DeviceID) -> Query {
    Query(.notificationsForesee) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.id(item.head.id)
      parameters.bytea(HeadCodec.encode(item.head))
      parameters.bytea(item.content)
      parameters.instant(item.renews)
    } read: { rows in
      guard rows.count == 1 else { return ForeseenPut(outcome: .inserted, acceptedAt: nil) }
      return ForeseenPut(
        outcome: QueueOutcome(rawValue: rows.text(0, 0))!, acceptedAt: rows.optional(0, 1, Rows.instant))
    }
  }
}

extension Query where Answer == QueueAnswer {
  /// - Parameters:
  ///   - users: by which the device was found; empty: it was named itself.
  ///   - due: the first fire of what is put; nil: nothing of it has one.
  ///   - hasLooked: whether what has come due was taken in: then the answer is not `lookFirst`.
  static func changeQueue(
    tenant: TenantID, device: DeviceID, operations: [QueueOperation], users: [String], due: Instant?,
    hasLooked: Bool, most: Int, keeping: QueueAnswerDraft?, now: Instant
  ) -> Query {
    let change = CollapsedQueueChange(operations)
    return Query(keeping == nil ? .notificationsChange : .notificationsChangeOnce) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.instant(now)
      parameters.items(change.puts)
      parameters.ids(change.cancels)
      parameters.count(most)
      parameters.instant(due)
      parameters.bool(hasLooked)
      parameters.textArray(users)
      parameters.renews(change.puts)
      if let keeping {
        parameters.words(keeping.foreseen)
        parameters.draft(keeping.draft, hasTail: true)
      }
    } read: { rows in
      let words = rows.textArray(0, 0)
      switch words.first {
      case "lookFirst"?: return .lookFirst
      case "otherUser"?: return .otherUser(now: words.dropFirst().first)
      default: return .changed(change.outcomes(words.map { QueueOutcome(rawValue: $0)! }))
      }
    }
  }
}

extension Parameters {
  fileprivate mutating func words(_ outcome: QueueOutcome?) {
    if let outcome { textArray([outcome.rawValue]) } else { noTextArray() }
  }

  /// Of each item the time by which one that is over was accepted.
  mutating func renews(_ items: [QueueItem]) {
    timestamptzArray(milliseconds: items.map(\.renews?.milliseconds))
  }

  /// Ids, heads and contents, an array each.
  mutating func items(_ items: [QueueItem]) {
    ids(items.lazy.map(\.head.id))
    byteaArray(items.map { HeadCodec.encode($0.head) })
    byteaArray(items.map(\.content))
  }
}

extension StoredNotification {
  fileprivate init(_ rows: Rows, _ row: Int) throws(StoreError) {
    self.init(
      head: try rows.head(row, id: 0, head: 1), content: rows.bytes(row, 2),
      acceptedAt: rows.instant(row, 3))
  }
}
