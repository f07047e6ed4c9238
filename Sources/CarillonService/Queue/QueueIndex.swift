import CarillonModel
import CarillonStore

/// Looks entries of a queue up by their ids, and costs nothing to make: a look at a device asks for few of many.
struct QueueIndex {
  private let queue: [StoredEntry]

  /// - Parameter queue: in the order of the ids' bytes, as the store gives it.
  init(_ queue: [StoredEntry]) { self.queue = queue }

  subscript(id: NotificationID) -> StoredEntry? { queue.entry(id) }
}

extension StoredEntry {
  /// Whether two entries of one id are the same: a write puts an id but once.
  func isSamePut(as other: StoredEntry) -> Bool {
    putVersion == other.putVersion && acceptedAt == other.acceptedAt && user == other.user
  }
}

/// A queue in the order of the ids' bytes.
extension RandomAccessCollection where Element == StoredEntry, Index == Int {
  /// Where an entry of an id stands, or would.
  func place(of id: NotificationID) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].head.id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func entry(_ id: NotificationID) -> StoredEntry? {
    let place = place(of: id)
    return place < endIndex && self[place].head.id == id ? self[place] : nil
  }
}
