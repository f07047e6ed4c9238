import CarillonAPI
import CarillonModel
import CarillonStore

extension DevicePlanner.Situation {
  /// Entries that slept when the device was last heard of: their user was not there.
  var asleepBefore: [StoredEntry] { everybodys.asleep(for: before.info.userId) }

  /// Entries that sleep from now on; none where somebody has signed in, who takes the place of all others.
  var asleep: [StoredEntry] {
    guard [StoredEntry].owner(state.info.userId) == nil else { return [] }
    let sleeping = everybodys.asleep(for: nil)
    guard !sleeping.isEmpty else { return [] }
    let gone = Set(report?.cancel ?? []).union(queue.map(\.head.id))
    return sleeping.filter { !gone.contains($0.head.id) }
  }

  /// Whether an entry goes, or falls asleep, because its user is not there any more, and not because the report takes
  /// it out.
  func isLeft(_ entry: StoredEntry) -> Bool {
    guard let user = entry.user, user != [StoredEntry].owner(state.info.userId) else { return false }
    guard let report else { return true }
    return !report.cancel.contains(entry.head.id) && !report.put.contains { $0.head.id == entry.head.id }
  }

  /// Whether what came due then stands in the queue as it did.
  func stillHas(_ row: StoredDelivery) -> Bool {
    (queue + asleep).contains { $0.head.id == row.notification && $0.acceptedAt < row.dueAt }
  }
}
