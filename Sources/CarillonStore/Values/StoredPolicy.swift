import CarillonModel

/// One version of a tenant's policy. Every version is kept.
public struct StoredPolicy: Hashable, Sendable {
  /// From 1, without gaps.
  public var version: Int
  /// The document's JSON, byte for byte as it was put.
  public var document: [UInt8]
  public var createdAt: Instant

  public init(version: Int, document: [UInt8], createdAt: Instant) {
    self.version = version
    self.document = document
    self.createdAt = createdAt
  }
}

/// A line of a policy's history.
public struct PolicyVersion: Hashable, Sendable {
  public var version: Int
  public var createdAt: Instant
  /// Of the document.
  public var bytes: Int

  public init(version: Int, createdAt: Instant, bytes: Int) {
    self.version = version
    self.createdAt = createdAt
    self.bytes = bytes
  }
}

/// The answer to a request to make a document the tenant's current policy.
public enum PolicyChange: Hashable, Sendable {
  case stored(version: Int)
  /// The version the writer has seen is not the current one; nothing was changed.
  case conflict(current: Int)
  /// There is a policy, and the writer did not say which version it has seen; nothing was changed.
  case preconditionRequired(current: Int)
  case noTenant
}
