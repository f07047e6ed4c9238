import CarillonAPI
import CarillonModel

extension ClientState {
  /// Takes over what the server decided, but for the id it may have given.
  ///
  /// What the device holds then is what it reported, without what the answer removes, and with what it adds. Whatever of
  /// it no answer has ever told, and was not planned here, stays unknown.
  ///
  /// - Parameters:
  ///   - numbers: of the outbox entries that the report carried.
  ///   - pending: what the report said is held.
  mutating func adopt(_ response: SyncResponse, confirming numbers: Set<Int>, pending: [PendingRequest]) {
    outbox.confirm(numbers)
    planVersion = response.planVersion
    refreshBy = response.refreshBy
    unread = response.unread
    policy = response.policy ?? policy
    if response.diff.isEmpty, plannedHere.isEmpty, holdsThePlan(pending) { return }
    var next = confirmed(pending)
    if !response.diff.isEmpty {
      let gone = Set(response.diff.remove).union(response.diff.add.map(\.id))
      next.removeAll { gone.contains($0.id) }
      next += response.diff.add
    }
    plan = next.fitting(planRoom)
    plannedHere = []
  }

  /// The usual case: the device holds what is known, all of it and nothing else. Then there is nothing to unpack.
  private func holdsThePlan(_ pending: [PendingRequest]) -> Bool {
    PackedRequests.marks(pending.map { ($0.id, $0.revision ?? "") }) == packedPlan.marks
  }

  /// Of what is known, what the device reported to hold.
  private func confirmed(_ pending: [PendingRequest]) -> [SyncAddition] {
    let revisions = Dictionary(pending.map { ($0.id, $0.revision) }) { $1 }
    var found: Set<NotificationID> = []
    return (plan + plannedHere).filter { known in
      revisions[known.id] == .some(known.revision) && found.insert(known.id).inserted
    }
  }

  /// Bytes for plans: an outbox of an earlier version may be larger than one can be now.
  private var planRoom: Int {
    guard !outbox.isEmpty else { return Self.planBytes }
    return max(0, Self.planBytes - max(0, outbox.wireBytes - Self.outboxBytes))
  }

  /// Keeps what was planned here, so that it is known again after a restart.
  mutating func keep(plannedHere made: [SyncAddition]) {
    plannedHere = made.fitting(planRoom - plan.reduce(0) { $0 + $1.storedBytes })
  }
}

extension [SyncAddition] {
  /// The first of them that fit.
  fileprivate func fitting(_ room: Int) -> [SyncAddition] {
    var room = room
    return Array(
      prefix { entry in
        room -= entry.storedBytes
        return room >= 0
      })
  }
}

extension SyncAddition {
  /// What it takes in the state, rather more than less: an id may be written with escapes.
  fileprivate var storedBytes: Int { content.count + 4096 }
}
