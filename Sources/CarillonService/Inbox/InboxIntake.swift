import CarillonModel
import CarillonStore

/// What a planning must know of the inbox: how things stand once what came due has reached it.
struct InboxIntake {
  var change = InboxChange()
  /// Afterwards.
  var unread: Int
  /// When that will change by time alone; nil: never.
  var changesAt: Instant?
  /// Whether other devices that show the inbox must hear of it.
  var isNews = false

  private init(_ count: InboxCount) {
    unread = count.unread
    changesAt = count.changesAt
  }

  /// - Parameters:
  ///   - known: those of the due ones that are in the inbox that is shown already, put there by another device of the
  ///     user.
  ///   - isShown: whether the inbox that one goes to is the one that is shown.
  init(
    _ change: InboxChange, known: Set<InboxKey>, count: InboxCount, now: Instant,
    isShown: (InboxOccurrence) -> Bool
  ) {
    self.init(count)
    self.change = change
    // What is too old by now is not taken in.
    self.change.due.removeAll { $0.at <= count.begins }
    let fresh = self.change.due.filter { !known.contains($0.key) }
    isNews = !fresh.isEmpty
    let shown = fresh.filter(isShown)
    // What is too many leaves with the next item, and not before.
    if !shown.isEmpty { unread = min(count.unread + shown.count, count.most) }
    guard let oldest = shown.map(\.at).min() else { return }
    let leaves = Instant(
      milliseconds: oldest.milliseconds + now.milliseconds - count.begins.milliseconds)
    changesAt = min(changesAt ?? leaves, leaves)
  }
}
