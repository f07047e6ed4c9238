import CarillonPostgres

/// Hears when an operator's command has changed credentials. Confined to its connection's loop.
///
/// A connection of its own: behind a pooler that shares sessions it hears nothing, and no harm is done.
public final class CredentialListener {
  private let connection: PostgresConnection

  /// - Parameters:
  ///   - connection: that nobody else uses.
  ///   - changed: called on the loop.
  public init(_ connection: PostgresConnection, changed: @escaping () -> Void) async throws(StoreError) {
    self.connection = connection
    connection.onNotification = { _ in changed() }
    do {
      _ = try await connection.run(Statement(StatementName.credentialsListen.source))
    } catch {
      throw .database(error)
    }
  }

  public func waitUntilLost() async { await connection.waitUntilClosed() }

  public func close() { connection.close() }
}

extension Query where Answer == Void {
  /// Takes effect when the transaction commits; belongs to every change of keys, signing keys and tenants' status.
  static func announceCredentials() -> Query { Query(.credentialsAnnounce) { _ in } }
}
