import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonStore

/// A report on its way in.
struct IncomingReport {
  let report: ReceivedReport
  let tenant: TenantID
  /// The device that was asked; a copy is synced as another one.
  let device: DeviceID
  /// Whose the device must be; nil: anyone's.
  let user: BoundUser?
  /// For a request that may come again; nil: its answer is not kept.
  let keeping: Keeping<SyncAnswer>?
  let quotas: Quotas
  let now: Instant

  var request: SyncRequest { report.request }
  /// Whose inbox is asked about; nil: that of the user the device has.
  var inboxUser: String? { user?.id ?? request.device?.userId }

  /// - Parameter reported: who is there; nil: nobody was ever reported.
  func checkUser(_ reported: String?) throws(ServiceError) {
    if let user, !user.isThere(reported) { throw .otherUser }
  }
}

/// What is left to do of a sync: store what it changes, and answer.
struct SyncEnding {
  /// Without its diff.
  var response: SyncResponse
  var outcome: DevicePlanner.Outcome
  var intake: InboxIntake
  var visit: InboxVisit
  /// Of the device as it was loaded; nil for a new one.
  var rowVersion: Int64?
  /// Nil: nothing is to be stored.
  var change: DeviceChange?
}

extension SyncService {
  /// Nil when the device changed meanwhile.
  ///
  /// The contents that the answer names come back with the change, in one round trip. Where the answer is kept with the
  /// change they are read before: the change goes through only if nothing was changed since the device was loaded.
  func end(
    _ ending: SyncEnding, of incoming: IncomingReport, by reception: InboxReception
  ) async throws(ServiceError) -> SyncAnswer? {
    var response = ending.response
    let result = ending.outcome.result
    let now = incoming.now
    if ending.change == nil || incoming.keeping != nil {
      guard let contents = try await contents(of: ending, by: reception) else { return nil }
      response.diff = try diff(result, contents, for: incoming.request)
    }
    let draft = incoming.keeping?.draft(.full(response), now: now)
    guard var change = ending.change else {
      if let draft {
        _ = try await storing { () async throws(StoreError) in
          try await store.keep(draft, tenant: incoming.tenant, device: incoming.device)
        }
      }
      return .full(response)
    }
    change.keeping = draft.map { ($0, incoming.device) }
    change.wantedContents = draft == nil ? result.wantedContents : []
    switch try await reception.apply(change, ending.intake, ending.visit) {
    case .conflict: return nil
    case .applied(let contents):
      note(DeviceFindings(ending.outcome))
      if draft == nil { response.diff = try diff(result, contents, for: incoming.request) }
      return .full(response)
    }
  }

  /// Those that the diff names: of what is being put, and of what stands in the queue. Nil when the device is not as it
  /// was loaded.
  private func contents(
    of ending: SyncEnding, by reception: InboxReception
  ) async throws(ServiceError) -> [NotificationID: [UInt8]]? {
    let puts = ending.change?.puts ?? []
    var contents = [NotificationID: [UInt8]](uniqueKeysWithValues: puts.map { ($0.head.id, $0.content) })
    let missing = ending.outcome.result.wantedContents.filter { contents[$0] == nil }
    let stored = try await storing { () async throws(StoreError) in
      try await store.contents(
        tenant: reception.tenant, device: reception.device, ids: missing, of: ending.rowVersion)
    }
    guard let stored else { return nil }
    contents.merge(stored) { put, _ in put }
    return contents
  }

  private func diff(
    _ result: PlanResult, _ contents: [NotificationID: [UInt8]], for request: SyncRequest
  ) throws(ServiceError) -> SyncDiff {
    do {
      return try SyncDiff(
        result.diff, of: result.plan, isForPlanning: request.policyVersion != nil
      ) { contents[$0] }
    } catch {
      throw .unreadableContent
    }
  }
}
