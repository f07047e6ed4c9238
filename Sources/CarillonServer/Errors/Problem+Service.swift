import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonPostgres
import CarillonService
import CarillonStore

/// What went wrong inside, in the words of the wire: the one table from our errors to the catalogue.
extension Problem {
  /// Seconds a client should wait when the database is away or the server has too much to do.
  static let secondsBeforeRetry = 1

  init(_ error: ServiceError) {
    switch error {
    case .store(let error): self.init(error)
    case .contention:
      self.init(
        .conflict, "Others kept changing this device; nothing was changed. Send the request again.",
        retryAfter: Self.secondsBeforeRetry)
    case .noSuchDevice:
      self.init(.deviceNotFound, "No device of this id has reported or has notifications.")
    case .otherUser:
      self.init(
        .wrongUser,
        "This device token is for one user, and the device is not that user's; nothing was changed. Report that user in a sync, or get a token for who is there."
      )
    case .noSuchNotification:
      self.init(.notificationNotFound, "The device's queue has no notification of this id.")
    case .queueFull(let most):
      self.init(
        .queueFull,
        "A device's queue holds \(most) notifications; nothing was changed. Cancel some first."
      )
    case .deviceLimit:
      self.init(
        .deviceLimitReached,
        "This tenant has as many devices as it may have; nothing was changed. Erase some, or ask the operator for more."
      )
    case .tooManyDevices:
      self.init(
        .tooManyDevices,
        "The userId is that of more than \(QueueService.maximumDevicesPerUser) devices; nothing was changed. Address the devices."
      )
    case .unknownTimeZone(let name, let pointer):
      let entry = FieldError(
        pointer: pointer, code: "unknownTimeZone",
        detail: "'\(name)' is not in this server's time zone data; send an IANA name like Europe/Madrid")
      self.init(.validationFailed, "Nothing was changed (\(pointer)): \(entry.detail).", errors: [entry])
    case .reportTooLong:
      self.init(
        .invalidParameter,
        "This would be more than \(ReportLimits.rows) rows; ask for fewer days, one 'type' or one 'cohort'.")
    case .unreadableContent:
      self.init(
        .internalError, "A stored value was written by a newer release and cannot be read by this one.")
    case .unreadablePolicy(let version):
      self.init(
        .internalError,
        "Version \(version) of the policy was written by a newer release and cannot be read by this one.")
    }
  }

  init(_ error: StoreError) {
    switch error {
    case .database(let error): self.init(error)
    case .unreadable:
      self.init(
        .internalError, "A stored value was written by a newer release and cannot be read by this one.")
    case .overtaken: self = .inProgress
    }
  }

  init(_ error: PostgresError) {
    switch error.code {
    case .overloaded:
      self.init(
        .overloaded, "Too much work waits for the database; nothing was changed.",
        retryAfter: Self.secondsBeforeRetry)
    case .unavailable, .closed, .cancelled:
      self.init(
        .databaseUnavailable, "The database does not answer; nothing was changed.",
        retryAfter: Self.secondsBeforeRetry)
    case .connectionLost:
      self.init(
        .databaseUnavailable,
        "The connection to the database was lost; the change may or may not have been made. Send it again.",
        retryAfter: Self.secondsBeforeRetry)
    case .refused where error.constraint?.hasSuffix("_tenant_fkey") == true:
      self.init(.invalidCredential, "The tenant of this credential no longer exists; nothing was changed.")
    case .refused:
      self.init(.internalError, "The database refused a statement; nothing was changed.")
    }
  }

  init(_ failure: AuthenticationFailure) {
    switch failure {
    case .missing:
      self.init(.unauthenticated, "Send Authorization: Bearer with a tenant key or a device token.")
    case .invalid:
      self.init(
        .invalidCredential,
        "The tenant key or device token is unknown, revoked or forged, or the key has expired. Get a new one."
      )
    case .expired:
      self.init(.expiredCredential, "The device token has ended; get a new one from the app's backend.")
    case .tokensUnavailable: self = .deviceTokensUnavailable
    case .tenantSuspended:
      self.init(.tenantSuspended, "This tenant is suspended; ask the operator.")
    case .store(let error): self.init(error)
    }
  }

  init(_ refusal: HTTPRefusal) {
    switch refusal {
    case .bodyTooLarge(let limit):
      self.init(.bodyTooLarge, "The body may have \(limit) bytes here; send less at once.")
    case .lengthRequired:
      self.init(.lengthRequired, "A body in chunks is not taken; send it with its Content-Length.")
    case .malformed(let detail): self.init(.malformedRequest, detail)
    case .draining:
      self.init(
        .draining, "This server is shutting down; send the request again.",
        retryAfter: Self.secondsBeforeRetry)
    case .overloaded:
      self.init(
        .overloaded,
        "This server holds as many bodies as it can; nothing was changed. Send the request again.",
        retryAfter: Self.secondsBeforeRetry)
    }
  }

  init(_ refusal: TriggerRefusal, prefix: String = "") {
    let entry = FieldError(refusal, prefix: prefix)
    self.init(.validationFailed, "Nothing was changed (\(entry.pointer)): \(entry.detail)", errors: [entry])
  }

  static let noSuchRoute = Problem(.routeNotFound, "No endpoint has this path; see /openapi.json.")
}

extension FieldError {
  init(_ refusal: TriggerRefusal, prefix: String = "") {
    self.init(pointer: prefix + refusal.pointer, code: refusal.code.rawValue, detail: refusal.detail)
  }
}

/// Runs a use case and turns its error into the wire's.
func serving<R>(_ body: () async throws(ServiceError) -> R) async throws(Problem) -> R {
  do {
    return try await body()
  } catch {
    throw Problem(error)
  }
}

/// Reads a body and turns what is wrong with it into the wire's error.
func reading<R>(_ body: () throws(JSONError) -> R) throws(Problem) -> R {
  do {
    return try body()
  } catch {
    throw Problem(error)
  }
}
