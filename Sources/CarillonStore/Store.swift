import CarillonModel
import CarillonPostgres

/// Every statement the server makes, over the files in `sql/`. Confined to the loop of its pool.
///
/// Each method is one round trip and one transaction, and what it answers is durable. All but ``key(id:)`` and
/// ``signingKey(id:)`` run under row security as the tenant they name.
public final class Store {
  /// The most notifications one device's queue holds.
  public static let maxQueueEntries = 1_000

  let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }
}
