/// The frozen catalogue of errors, documented in `docs/errors.md`. A code is never renamed, and one that is
/// retired is never used again.
public enum ProblemCode: String, Hashable, Sendable, CaseIterable {
  // The request cannot be read.
  case malformedRequest, invalidPath, invalidParameter, invalidHeader, invalidCursor, invalidJSON
  // Who asks.
  case unauthenticated, invalidCredential, expiredCredential
  case insufficientScope, wrongDevice, wrongUser, tenantSuspended
  // What is asked for.
  case routeNotFound, deviceNotFound, notificationNotFound, policyNotFound, userNotFound
  case methodNotAllowed
  // What stands against it.
  case conflict, idempotencyInProgress, policyVersionMismatch, preconditionRequired
  case lengthRequired, bodyTooLarge, unsupportedMediaType
  // What it says.
  case validationFailed, idempotencyKeyReused, queueFull, tooManyDevices, deviceLimitReached
  // How much is asked.
  case rateLimited
  // What failed on our side.
  case internalError, databaseUnavailable, overloaded, draining, deviceTokensUnavailable

  /// The HTTP status it is answered with.
  public var status: Int {
    switch self {
    case .malformedRequest, .invalidPath, .invalidParameter, .invalidHeader, .invalidCursor, .invalidJSON: 400
    case .unauthenticated, .invalidCredential, .expiredCredential: 401
    case .insufficientScope, .wrongDevice, .wrongUser, .tenantSuspended: 403
    case .routeNotFound, .deviceNotFound, .notificationNotFound, .policyNotFound, .userNotFound: 404
    case .methodNotAllowed: 405
    case .conflict, .idempotencyInProgress: 409
    case .lengthRequired: 411
    case .policyVersionMismatch: 412
    case .bodyTooLarge: 413
    case .unsupportedMediaType: 415
    case .validationFailed, .idempotencyKeyReused, .queueFull, .tooManyDevices,
      .deviceLimitReached:
      422
    case .preconditionRequired: 428
    case .rateLimited: 429
    case .internalError: 500
    case .databaseUnavailable, .overloaded, .draining, .deviceTokensUnavailable: 503
    }
  }

  /// Whether the same request, sent again later, can succeed.
  public var isRetryable: Bool {
    switch self {
    case .conflict, .idempotencyInProgress, .rateLimited, .internalError, .databaseUnavailable, .overloaded,
      .draining:
      true
    default: false
    }
  }

  /// The kind of error in a few words, the same for every occurrence (RFC 9457 section 3.1.3).
  public var title: String {
    switch self {
    case .malformedRequest: "The HTTP request is malformed"
    case .invalidPath: "The path cannot be decoded"
    case .invalidParameter: "A parameter of the path or query is invalid"
    case .invalidHeader: "A header field is invalid"
    case .invalidCursor: "The cursor is not one of ours"
    case .invalidJSON: "The body is not the JSON that belongs here"
    case .unauthenticated: "A credential is required"
    case .invalidCredential: "The credential is not valid"
    case .expiredCredential: "The credential has expired"
    case .insufficientScope: "The credential lacks a scope"
    case .wrongDevice: "The credential is for another device"
    case .wrongUser: "The credential is for another user"
    case .tenantSuspended: "The tenant is suspended"
    case .routeNotFound: "There is no such endpoint"
    case .deviceNotFound: "There is no such device"
    case .notificationNotFound: "There is no such notification"
    case .policyNotFound: "There is no such policy"
    case .userNotFound: "No device of this user is known"
    case .methodNotAllowed: "The method is not allowed here"
    case .conflict: "Another change came first"
    case .idempotencyInProgress: "The first request with this key still runs"
    case .policyVersionMismatch: "The policy has changed"
    case .preconditionRequired: "If-Match is required"
    case .lengthRequired: "The body must come with its length"
    case .bodyTooLarge: "The body is too large"
    case .unsupportedMediaType: "The body is not JSON"
    case .validationFailed: "The request says something impossible"
    case .idempotencyKeyReused: "The key was used for another request"
    case .queueFull: "The device's queue is full"
    case .tooManyDevices: "The user has too many devices"
    case .deviceLimitReached: "The tenant has as many devices as it may have"
    case .rateLimited: "Too many requests"
    case .internalError: "The server failed"
    case .databaseUnavailable: "The database is not available"
    case .overloaded: "The server is overloaded"
    case .draining: "The server is shutting down"
    case .deviceTokensUnavailable: "This server has no device tokens"
    }
  }

  /// Identifies the code as a URI (RFC 9457 section 3.1.1): a name, nothing to be fetched.
  public var type: String { "urn:carillon:problem:\(rawValue)" }
}
