import CarillonAPI
import CarillonModel
import CarillonStore

/// What a report's puts and cancels make of a queue. Cancels come first, so a put of the same id stays.
struct QueueEdit {
  /// The queue after them, in the order of the ids' bytes.
  var queue: [StoredEntry]
  var puts: [QueueItem] = []
  var cancels: [NotificationID] = []

  init(_ report: SyncRequest, queue: [StoredEntry], now: Instant) {
    self.queue = queue
    guard !report.put.isEmpty || !report.cancel.isEmpty else { return }
    var entries = Dictionary(uniqueKeysWithValues: queue.map { ($0.head.id, $0) })
    for id in report.cancel { entries[id] = nil }
    // Of several puts of one id the last counts.
    var items: [NotificationID: QueueItem] = [:]
    for notification in report.put {
      items[notification.head.id] = QueueItem(
        head: notification.head, content: notification.content.canonicalBytes)
    }
    for (id, item) in items {
      // The same notification put again keeps its time of acceptance: the store holds to the same rule.
      if let entry = entries[id], entry.head == item.head { continue }
      entries[id] = StoredEntry(head: item.head, acceptedAt: now)
    }
    self.queue = entries.values.sorted { $0.head.id < $1.head.id }
    puts = items.values.sorted { $0.head.id < $1.head.id }
    cancels = report.cancel
  }
}
