import CarillonJSON
import CarillonModel

/// Who did something that is kept.
public enum AuditActor: Hashable, Sendable {
  /// Somebody with the door to the database, by the name the command was told.
  case `operator`(String)
  /// A tenant key, by its id.
  case key(String)

  var kind: String {
    switch self {
    case .operator: "operator"
    case .key: "key"
    }
  }

  var name: String {
    switch self {
    case .operator(let name), .key(let name): name
    }
  }
}

/// What was done. The raw value is kept, and is part of the contract of `tenantctl audit`.
public enum AuditAction: String, Hashable, Sendable, CaseIterable {
  case tenantCreate = "tenant.create"
  case tenantSuspend = "tenant.suspend"
  case tenantResume = "tenant.resume"
  case tenantLimits = "tenant.limits"
  case tenantExport = "tenant.export"
  case tenantImport = "tenant.import"
  case tenantDelete = "tenant.delete"
  case keyCreate = "key.create"
  case keyRevoke = "key.revoke"
  case keyRotateSigning = "key.rotateSigning"
  case keyRotateMaster = "key.rotateMaster"
  case policyPut = "policy.put"
  case deviceErase = "device.erase"
}

/// Something an operator or a key did: written in the transaction of what was done, and never changed.
///
/// Holds nothing secret and names no device and no user.
public struct AuditEntry: Hashable, Sendable {
  /// The most bytes of an actor's name that are kept.
  public static let mostNameBytes = 128

  public var id: UUID128
  public var at: Instant
  public var actor: AuditActor
  public var action: AuditAction
  /// A key's id, a policy's version, a tenant's name.
  public var subject: String?
  /// More to know, by name.
  public var details: [String: String]

  /// - Parameter id: unlike that of any other.
  public init(
    id: UUID128, at: Instant, actor: AuditActor, action: AuditAction, subject: String? = nil,
    details: [String: String] = [:]
  ) {
    self.id = id
    self.at = at
    self.actor = actor
    self.action = action
    self.subject = subject
    self.details = details
  }

  var detailsJSON: [UInt8] {
    JSONValue.object(
      details.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
    ).bytes
  }
}

/// An entry as it is read again.
public struct StoredAuditEntry: Hashable, Sendable {
  /// Nil: the installation, and a tenant that is no more.
  public var tenant: TenantID?
  /// Nil: there is no such tenant any more, or there was none.
  public var tenantName: String?
  public var id: UUID128
  public var at: Instant
  /// `operator` or `key`.
  public var actorKind: String
  public var actor: String
  /// Whom the database took an operator for.
  public var login: String?
  public var action: String
  public var subject: String?
  /// A JSON object.
  public var details: [UInt8]
}

/// Where a list of entries goes on: behind this one.
public struct AuditPosition: Hashable, Sendable {
  public var at: Instant
  public var id: UUID128

  public init(at: Instant, id: UUID128) {
    self.at = at
    self.id = id
  }
}
