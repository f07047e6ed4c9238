import CarillonPostgres

/// Why the store could not do what was asked. What a caller can meet in ordinary use (a conflict, a full queue,
/// a name that is taken) is no error but a case of the method's answer.
public enum StoreError: Error, Sendable {
  /// The database could not be reached or refused; the error's code says whether anything may have changed.
  case database(PostgresError)
  /// A stored value cannot be read, as when a newer version wrote it. Nothing was changed.
  case unreadable(StoredValue)
  /// Somebody was faster: the idempotency key is in use by now, or the device is no longer what the answer was written
  /// for. Nothing was changed: look at the key again.
  case overtaken

  /// What was read.
  public enum StoredValue: String, Hashable, Sendable {
    case notificationHead, settings, pending, tenantStatus, plan, deliveries, delivery, tallies, changes,
      delivered, answer, counter
  }
}

extension StoreError {
  /// The database is there and has refused what was asked: nothing was changed, and something else may well go.
  public var isRefusal: Bool {
    guard case .database(let error) = self else { return false }
    return error.code == .refused
  }
}
