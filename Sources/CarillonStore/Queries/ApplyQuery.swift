import CarillonModel
import CarillonPostgres

/// What the function answers; see `sql/migrations/v0007_apply_sync.up.sql`.
enum ApplyWord: String { case applied, conflict }

extension Query where Answer == ApplyWord {
  /// The parameters in the order of the function's own.
  static func apply(_ change: DeviceChange, tenant: TenantID, device: DeviceID) -> Query {
    let puts = CollapsedQueueChange(change.puts.map { .put($0) }).puts
    return Query(change.keeping == nil ? .deviceSyncsApply : .deviceSyncsApplyOnce) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.instant(change.now)
      parameters.int8(change.expectedRowVersion)
      parameters.int8(change.sequence)
      parameters.state(change)
      parameters.steady(change.steady)
      parameters.ids(change.cancels + change.prunes)
      parameters.items(puts)
      parameters.plan(change.plan)
      parameters.events(change.events)
      parameters.instant(change.forgetEventsBefore)
      parameters.jsonb(change.historyDocument)
      parameters.jsonb(change.inbox?.document)
      parameters.jsonb(change.priming?.document)
      parameters.instant(change.lookAt)
      parameters.int8(change.inboxVersion)
      parameters.renews(puts)
      if let keeping = change.keeping {
        parameters.device(keeping.device)
        parameters.draft(keeping.answer, hasTail: false)
      }
    } read: { rows in
      ApplyWord(rawValue: rows.text(0, 0))!
    }
  }
}

extension Parameters {
  /// The columns of the device, and what it holds: the one is rarely news, the other nearly always.
  fileprivate mutating func state(_ change: DeviceChange) {
    jsonb(change.changesOnlyRequests ? nil : change.state?.columns)
    bytea(change.state?.pending?.stored)
    int4((change.state?.foreign.count).map { Int32(clamping: $0) })
    int4((change.state?.foreign.regions).map { Int32(clamping: $0) })
  }

  fileprivate mutating func steady(_ steady: SteadyState?) {
    digest(steady?.digest)
    instant(steady?.validUntil)
    version(steady?.policyVersion)
    bytea(steady?.answer)
  }

  fileprivate mutating func plan(_ plan: PlanDraft?) {
    version(plan?.version)
    version(plan?.policyVersion)
    text(plan?.zoneData)
    digest(plan?.digest)
    ids(plan?.sent ?? [])
    bytea(plan?.document)
    instant(plan?.nextFireAt)
    bytea(plan?.deliveries)
  }

  fileprivate mutating func events(_ events: [DeviceEvent]) {
    textArray(events.map(\.id))
    textArray(events.map(\.kind))
    textArray(events.map { $0.notification?.text })
    textArray(events.map(\.name))
    timestamptzArray(milliseconds: events.map(\.at.milliseconds))
  }
}
