import CarillonModel
import CarillonStore

/// The occurrences that one look at a device is about: those that are stored and may be settled, and those that have
/// come due since the last look.
struct Occurrences {
  struct Key: Hashable {
    var notification: NotificationID
    var wishedAt: Instant
  }

  struct Item {
    var row: StoredDelivery
    /// As it stands in the database; nil: it came due since the last look, or is not known to stand there.
    let stored: StoredDelivery?
    /// Whether its time came since the last look.
    var isNew: Bool
  }

  /// What came due at one look, the oldest are left out beyond this.
  static let mostPerLook = 1_000

  private(set) var items: [Key: Item] = [:]

  init(stored: [StoredDelivery]) {
    for row in stored { items[Key(row)] = Item(row: row, stored: row, isNew: false) }
  }

  /// Takes in an occurrence whose time has come. One that is stored gives way only to what says more.
  mutating func add(_ row: StoredDelivery) {
    var row = row
    var key = Key(row)
    // What comes after a journey is what was told before it.
    if items[key] == nil,
      let told = items.first(where: { $0.key.notification == key.notification && $0.value.row.isPostponed })
    {
      key = told.key
      row.wishedAt = key.wishedAt
    }
    guard let known = items[key] else {
      items[key] = Item(row: row, stored: nil, isNew: true)
      return
    }
    items[key]?.isNew = true
    if row.replaces(known.row) { items[key]?.row = row }
  }

  /// Leaves out a new one that is still to come after all. One of which nobody can know yet may turn out to have come.
  mutating func withdraw(_ key: Key) {
    guard let item = items[key], item.isNew, !item.row.outcome.isDelivered, item.row.outcome != .open else {
      return
    }
    items[key] = item.stored.map { Item(row: $0, stored: $0, isNew: false) }
  }

  subscript(key: Key) -> StoredDelivery? {
    get { items[key]?.row }
    set { if let newValue { items[key]?.row = newValue } }
  }

  /// The fire of each request that came last.
  var lastDue: [NotificationID: Instant] {
    var last: [NotificationID: Instant] = [:]
    for item in items.values {
      last[item.row.request] = max(last[item.row.request] ?? item.row.dueAt, item.row.dueAt)
    }
    return last
  }

  /// What to store, in the order of time.
  var changed: [StoredDelivery] { ordered { $0.stored != $0.row } }

  /// What came due since the last look, in the order of time.
  var new: [StoredDelivery] { ordered(where: \.isNew) }

  /// What came due before, and of which the outcome is another now, in the order of time.
  var settled: [StoredDelivery] {
    ordered { item in !item.isNew && item.stored.map { $0.outcome != item.row.outcome } ?? false }
  }

  private func ordered(where isWanted: (Item) -> Bool) -> [StoredDelivery] {
    items.values.filter(isWanted).map(\.row)
      .sorted { ($0.dueAt, $0.notification, $0.wishedAt) < ($1.dueAt, $1.notification, $1.wishedAt) }
      .suffix(Self.mostPerLook)
  }
}

extension Occurrences.Key {
  init(_ row: StoredDelivery) { self.init(notification: row.notification, wishedAt: row.wishedAt) }
}

extension StoredDelivery {
  /// Whether this one, found later, takes the other's place; the same rule as that of `carillon.record_history`.
  fileprivate func replaces(_ other: StoredDelivery) -> Bool {
    if outcome == .delivered || outcome == .rescued || other.isPostponed { return true }
    guard held != nil else { return false }
    if other.outcome == .open { return true }
    return !other.outcome.isDelivered && (dueAt > other.dueAt || outcome == .inferredDelivered)
  }
}
