import CarillonModel
import CarillonStore

/// Why a use case could not be carried out. The server turns each into a problem of the catalogue.
public enum ServiceError: Error, Sendable {
  /// The database failed, or more work waits than may wait.
  case store(StoreError)
  /// Others kept changing the device while this was computed, ``Attempts/maximum`` times over.
  case contention
  case noSuchDevice
  case noSuchNotification
  /// The credential is for one user, and the device is not that user's. Nothing was changed.
  case otherUser
  /// The queue would hold more than it may.
  case queueFull(most: Int)
  /// The tenant has as many devices as it may have.
  case deviceLimit
  /// The user has more than ``QueueService/maximumDevicesPerUser``.
  case tooManyDevices
  /// The report or notification names a zone that the server's zone data lacks.
  case unknownTimeZone(name: String, pointer: String)
  /// A stored content cannot be read by this version.
  case unreadableContent
  /// The report would be made of more than `ReportLimits.rows` rows.
  case reportTooLong
  /// The stored policy cannot be read by this version.
  case unreadablePolicy(version: Int)
}

/// How often an optimistic change starts over before it gives up.
public enum Attempts {
  public static let maximum = 32
}

/// Turns the store's errors into the service's.
func storing<R>(
  _ body: () async throws(StoreError) -> R
) async throws(ServiceError) -> R {
  do {
    return try await body()
  } catch {
    throw .store(error)
  }
}
