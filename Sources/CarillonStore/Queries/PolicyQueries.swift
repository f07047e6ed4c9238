import CarillonModel
import CarillonPostgres

extension Query where Answer == StoredPolicy? {
  static func policy(tenant: TenantID) -> Query {
    .first(.policiesCurrent, { $0.tenant(tenant) }, row: StoredPolicy.init)
  }

  static func policy(tenant: TenantID, version: Int) -> Query {
    .first(
      .policiesVersion,
      { parameters in
        parameters.tenant(tenant)
        parameters.count(version)
      }, row: StoredPolicy.init)
  }
}

extension Query where Answer == [PolicyVersion] {
  static func policyVersions(tenant: TenantID, before: Int?, limit: Int) -> Query {
    .list(.policiesHistory) { parameters in
      parameters.tenant(tenant)
      parameters.count(before ?? Int(Int32.max))
      parameters.count(limit)
    } row: { rows, row in
      PolicyVersion(
        version: rows.version(row, 0), createdAt: rows.instant(row, 1), bytes: rows.version(row, 2))
    }
  }
}

/// The current policy version, and its document unless the caller has it; and the clock of what is kept.
struct PolicyIfNews {
  var version = 0
  var document: [UInt8]?
  var retentionAt: Instant?
}

extension Query where Answer == PolicyIfNews {
  static func policy(tenant: TenantID, unlessKnown version: Int?) -> Query {
    Query(.policiesUnlessKnown) { parameters in
      parameters.tenant(tenant)
      parameters.version(version ?? -1)
    } read: { rows in
      guard rows.count == 1 else { return PolicyIfNews() }
      return PolicyIfNews(
        version: rows.version(0, 0), document: rows.optional(0, 1, Rows.bytes),
        retentionAt: rows.instant(0, 2))
    }
  }
}

/// A policy is put by two statements of one transaction: the second says why the first did nothing.
struct PolicyPut {
  let expectedVersion: Int?
  private(set) var statements: [Statement]

  /// - Parameters:
  ///   - keeping: the answer when it is put; nil: nothing is kept.
  ///   - audit: written when the policy is put; nil: nobody is to be told of.
  init(
    tenant: TenantID, document: [UInt8], expectedVersion: Int?, keeping: AnswerDraft? = nil, at now: Instant,
    audit: AuditEntry?
  ) {
    self.expectedVersion = expectedVersion
    var put = Parameters()
    put.tenant(tenant)
    put.count(expectedVersion ?? 0)
    put.bytea(document)
    put.instant(now)
    put.uuid(audit.map { ($0.id.high, $0.id.low) })
    put.text(audit?.actor.kind)
    put.text(audit?.actor.name)
    if let keeping { put.tenantDraft(keeping) }
    var current = Parameters()
    current.tenant(tenant)
    statements = [
      Statement((keeping == nil ? StatementName.policiesPut : .policiesPutOnce).source, put),
      Statement(StatementName.policiesCurrentVersion.source, current),
    ]
    if keeping != nil { statements.append(Query<Void>.trimKeys(tenant: tenant).statement) }
  }

  func read(_ put: Rows, _ current: Rows) -> PolicyChange {
    if put.count == 1 { return .stored(version: put.version(0, 0)) }
    guard current.count == 1 else { return .noTenant }
    let version = current.version(0, 0)
    return expectedVersion == nil ? .preconditionRequired(current: version) : .conflict(current: version)
  }
}

extension StoredPolicy {
  fileprivate init(_ rows: Rows, _ row: Int) {
    self.init(
      version: rows.version(row, 0), document: rows.bytes(row, 1), createdAt: rows.instant(row, 2))
  }
}
