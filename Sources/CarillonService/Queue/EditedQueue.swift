import CarillonModel
import CarillonStore

/// A queue with a few changes: what stays is neither looked up nor sorted again.
struct EditedQueue {
  private let queue: [StoredEntry]
  /// By id; a nil entry is taken out.
  private var changes: [NotificationID: StoredEntry?] = [:]
  private(set) var count: Int

  /// - Parameter queue: in the order of the ids' bytes.
  init(_ queue: [StoredEntry]) {
    self.queue = queue
    count = queue.count
  }

  func entry(_ id: NotificationID) -> StoredEntry? {
    if let change = changes[id] { return change }
    return queue.entry(id)
  }

  mutating func remove(_ id: NotificationID) {
    guard entry(id) != nil else { return }
    changes.updateValue(nil, forKey: id)
    count -= 1
  }

  mutating func put(_ entry: StoredEntry) {
    if self.entry(entry.head.id) == nil { count += 1 }
    changes.updateValue(entry, forKey: entry.head.id)
  }

  /// In the order of the ids' bytes.
  var entries: [StoredEntry] {
    guard !changes.isEmpty else { return queue }
    var entries: [StoredEntry] = []
    entries.reserveCapacity(count)
    var rest = queue[...]
    for (id, change) in changes.sorted(by: { $0.key < $1.key }) {
      let place = rest.place(of: id)
      entries += rest[..<place]
      if let change { entries.append(change) }
      rest = rest[place...]
      if rest.first?.head.id == id { rest = rest.dropFirst() }
    }
    return entries + rest
  }
}
