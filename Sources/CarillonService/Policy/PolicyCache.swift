import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonStore

/// The compiled policies of the tenants one loop serves. Which version is current always comes from the
/// database, with the device; the cache only saves reading and compiling the document again.
public final class PolicyCache {
  /// More tenants than this on one loop, and the cache starts afresh.
  static let maximumTenants = 10_000

  struct Entry {
    var version: Int
    var policy: CompiledPolicy
    /// As it was put: at most what one request may hold.
    var document: [UInt8]

    /// Nil for a device that does not ask, or has it.
    func answer(to request: SyncRequest) -> SyncPolicy? {
      guard let known = request.policyVersion, known != version else { return nil }
      return SyncPolicy(version: version, document: document)
    }
  }

  private var entries: [TenantID: Entry] = [:]
  /// What `{}` means.
  let defaultPolicy = CompiledPolicy(Policy())

  public init() {}

  /// The version whose document need not be read again.
  func knownVersion(of tenant: TenantID) -> Int? { entries[tenant]?.version }

  /// The policy a snapshot is to be planned with; nil when its document was left out as known and has been
  /// dropped since: load again.
  func policy(of tenant: TenantID, in snapshot: DeviceSnapshot) throws(ServiceError) -> Entry? {
    try policy(of: tenant, version: snapshot.policyVersion, document: snapshot.policyDocument)
  }

  func policy(of tenant: TenantID, in snapshot: PrimingSnapshot) throws(ServiceError) -> Entry? {
    try policy(of: tenant, version: snapshot.policyVersion, document: snapshot.policyDocument)
  }

  private func policy(
    of tenant: TenantID, version: Int, document: [UInt8]?
  ) throws(ServiceError) -> Entry? {
    if version == 0 { return Entry(version: 0, policy: defaultPolicy, document: Array("{}".utf8)) }
    if let document { return try remember(document, version: version, of: tenant) }
    guard let entry = entries[tenant], entry.version == version else { return nil }
    return entry
  }

  func remember(
    _ document: [UInt8], version: Int, of tenant: TenantID
  ) throws(ServiceError) -> Entry {
    let policy: Policy
    do {
      policy = try Policy(parsing: document)
    } catch {
      throw .unreadablePolicy(version: version)
    }
    if entries.count >= Self.maximumTenants { entries.removeAll() }
    let entry = Entry(version: version, policy: CompiledPolicy(policy), document: document)
    entries[tenant] = entry
    return entry
  }
}
