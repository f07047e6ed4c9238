import CarillonModel
import CarillonStore

/// What a device last said that it holds.
struct ShownRequests {
  private var revisions: [NotificationID: UInt64?] = [:]

  /// None.
  init() {}

  init(_ state: DeviceState) {
    let pending = state.pending ?? []
    revisions.reserveCapacity(pending.count)
    for request in pending { revisions.updateValue(request.revisionHash, forKey: request.id) }
  }

  /// Whether it has this very request; one without a revision is taken for it.
  func contains(_ request: HeldRequest) -> Bool {
    revisions[request.id].map { ($0 ?? request.revisionHash) == request.revisionHash } ?? false
  }
}
