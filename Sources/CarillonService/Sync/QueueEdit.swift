import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonStore

/// What a report's puts and cancels make of a queue. Cancels come first, so a put of the same id stays.
struct QueueEdit {
  /// The queue after them, in the order of the ids' bytes.
  var queue: [StoredEntry]
  var puts: [QueueItem] = []
  var cancels: [NotificationID]
  /// The check's, and what the queue has no room for.
  var rejected: [RejectedItem]

  /// - Parameters:
  ///   - queue: all of it, with what sleeps: a put replaces that, too.
  ///   - user: whose the puts are; what others have left behind goes.
  ///   - most: entries that the queue may hold.
  ///   - isOver: whether a put of the same is a new request.
  ///   - version: that the device's row will have after the sync.
  init(
    _ wishes: PutCheck, cancels: [NotificationID], queue: [StoredEntry], user: String?, most: Int,
    version: Int64, isOver: (StoredEntry) throws(ServiceError) -> Bool, now: Instant
  ) throws(ServiceError) {
    let left = queue.left(for: user)
    let cancels = cancels + left.filter { !cancels.contains($0) }
    self.queue = queue
    self.cancels = cancels
    rejected = wishes.rejected
    guard !wishes.accepted.isEmpty || !cancels.isEmpty else { return }
    var edited = EditedQueue(queue)
    for id in cancels { edited.remove(id) }
    // Of several puts of one id the last counts.
    var items: [NotificationID: QueueItem] = [:]
    for (index, notification) in wishes.accepted {
      let head = notification.head
      let present = edited.entry(head.id)
      guard present != nil || edited.count < most else {
        rejected.append(Self.full(head.id, index, most: most))
        continue
      }
      var item = QueueItem(head: head, content: notification.content.canonicalBytes)
      // The same notification put again keeps its time of acceptance: the store holds to the same rule.
      let owner = [StoredEntry].owner(user)
      if var entry = present, entry.head == head, entry.user == nil || entry.user == owner {
        if try isOver(entry) {
          item.renews = entry.acceptedAt
        } else {
          items[head.id] = item
          entry.user = owner
          edited.put(entry)
          continue
        }
      }
      items[head.id] = item
      edited.put(StoredEntry(head: head, acceptedAt: now, putVersion: version, user: owner))
    }
    self.queue = edited.entries
    puts = items.values.sorted { $0.head.id < $1.head.id }
  }

  /// What of it the report itself brought, for the history.
  func told(by report: SyncRequest, user: String?) -> DeviceStateChange.Edits {
    .init(puts: puts.map(\.head.id), cancels: report.cancel, user: [StoredEntry].owner(user))
  }

  private static func full(_ id: NotificationID, _ index: Int, most: Int) -> RejectedItem {
    RejectedItem(
      id: id.text,
      error: JSONError(
        code: ProblemCode.queueFull.rawValue,
        detail: "a device's queue holds \(most) notifications; cancel some first",
        pointer: "/put/\(index)"))
  }
}

extension SyncRequest {
  /// Whether it says that a request is pending.
  func lists(_ id: NotificationID) -> Bool { pending?.contains { $0.id == id } ?? false }
}
