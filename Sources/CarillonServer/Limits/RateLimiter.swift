import CarillonAPI
import CarillonHTTP
import CarillonModel
import CarillonStore
import Synchronization

/// Which requests may be served, by how many there have been: of a tenant, of each of its devices, and of operations in
/// batches. One for all loops of a server, since a tenant's connections come in on any of them.
final class RateLimiter: Sendable {
  /// Buckets that are kept, of tenants, devices and batches together. One has some 60 bytes.
  static let mostBuckets = 1_000_000

  /// A tenant and its devices lie in one shard, so that a request takes one lock, and those of other tenants another.
  private static let shards = 16

  private enum Key: Hashable {
    case tenant(TenantID)
    case device(TenantID, DeviceID)
    case batch(TenantID)
  }

  private let tables: [Shard]

  private final class Shard: Sendable {
    let table: Mutex<BucketTable<Key>>
    init(capacity: Int) { table = Mutex(BucketTable(capacity: capacity)) }
  }

  init(mostBuckets: Int = RateLimiter.mostBuckets) {
    tables = (0..<Self.shards).map { _ in Shard(capacity: max(2, mostBuckets / Self.shards)) }
  }

  /// Counts a request of a tenant, and of the device that it is about. What either bucket refuses takes nothing from the
  /// other: a device that asks too much is no load on its tenant's share.
  func take(_ limits: TenantLimits, tenant: TenantID, device: DeviceID?, now: UInt64) -> RateVerdict {
    shard(tenant).table.withLock { table in
      let key = device.map { Key.device(tenant, $0) }
      var verdict = RateVerdict()
      if let key {
        let foreseen = table.look(at: key, by: limits.deviceRequests, now: now)
        guard foreseen.isGranted else {
          verdict.add(
            "tenant", limits.requests, table.look(0, at: .tenant(tenant), by: limits.requests, now: now))
          verdict.add("device", limits.deviceRequests, foreseen)
          return verdict
        }
      }
      let ofTenant = table.take(of: .tenant(tenant), by: limits.requests, now: now)
      verdict.add("tenant", limits.requests, ofTenant)
      if let key, ofTenant.isGranted {
        verdict.add(
          "device", limits.deviceRequests, table.take(of: key, by: limits.deviceRequests, now: now))
      }
      return verdict
    }
  }

  /// Whether a request would be refused; takes nothing.
  func look(_ limits: TenantLimits, tenant: TenantID, device: DeviceID?, now: UInt64) -> RateVerdict {
    shard(tenant).table.withLock { table in
      var verdict = RateVerdict()
      verdict.add(
        "tenant", limits.requests, table.look(at: .tenant(tenant), by: limits.requests, now: now))
      if let device {
        verdict.add(
          "device", limits.deviceRequests,
          table.look(at: .device(tenant, device), by: limits.deviceRequests, now: now))
      }
      return verdict
    }
  }

  /// Counts the operations of a batch.
  func take(batchOf operations: Int, _ limits: TenantLimits, tenant: TenantID, now: UInt64) -> RateVerdict {
    shard(tenant).table.withLock { table in
      var verdict = RateVerdict()
      verdict.add(
        "batch", limits.batchOperations,
        table.take(operations, of: .batch(tenant), by: limits.batchOperations, now: now))
      return verdict
    }
  }

  private func shard(_ tenant: TenantID) -> Shard {
    tables[Int(truncatingIfNeeded: (tenant.uuid.high ^ tenant.uuid.low) % UInt64(Self.shards))]
  }
}

/// What the buckets say to a request, in the words of draft-ietf-httpapi-ratelimit-headers.
struct RateVerdict: Hashable, Sendable {
  struct Line: Hashable, Sendable {
    var name: String
    var rule: TokenBucket.Rule
    var grant: TokenBucket.Grant
  }

  /// Of all buckets there are.
  static let names = ["tenant", "device", "batch"]

  private(set) var lines: [Line] = []

  mutating func add(_ name: String, _ rule: TokenBucket.Rule, _ grant: TokenBucket.Grant) {
    lines.append(Line(name: name, rule: rule, grant: grant))
  }

  /// The first that refuses; nil: none.
  var refusal: Line? { lines.first { !$0.grant.isGranted } }

  var headers: [(name: String, value: String)] {
    if lines.isEmpty { return [] }
    var (policy, state) = ("", "")
    policy.reserveCapacity(64)
    state.reserveCapacity(64)
    for line in lines {
      Self.begin(&policy, line.name)
      Self.add(&policy, ";q=", line.rule.burst)
      Self.add(&policy, ";w=", line.rule.window)
      Self.begin(&state, line.name)
      Self.add(&state, ";r=", line.grant.remaining)
      Self.add(&state, ";t=", line.grant.reset)
    }
    return [("RateLimit-Policy", policy), ("RateLimit", state)]
  }

  /// Adds the fields to an answer, before what it tells of another bucket already.
  func add(to response: inout HTTPResponse) {
    for (name, value) in headers {
      if let index = response.headers.firstIndex(where: { $0.name == name }) {
        response.headers[index].value = "\(value), \(response.headers[index].value)"
      } else {
        response.headers.append((name, value))
      }
    }
  }

  private static func begin(_ text: inout String, _ name: String) {
    text += text.isEmpty ? "\"" : ", \""
    text += name
    text += "\""
  }

  private static func add(_ text: inout String, _ name: String, _ number: Int) {
    text += name
    text += String(number)
  }
}

extension TenantLimits {
  var requests: TokenBucket.Rule {
    TokenBucket.Rule(perSecond: self[.requestsPerSecond], burst: self[.requestBurst])
  }

  var deviceRequests: TokenBucket.Rule {
    TokenBucket.Rule(perSecond: self[.deviceRequestsPerSecond], burst: self[.deviceRequestBurst])
  }

  var batchOperations: TokenBucket.Rule {
    let perSecond = self[.batchOperationsPerSecond]
    // A whole batch fits in always.
    return TokenBucket.Rule(perSecond: perSecond, burst: max(perSecond, WireLimits.batchOperations))
  }
}
