import CarillonModel
import CarillonPostgres

extension Query where Answer == [String: DeviceID] {
  /// Who holds which claim, by its stored form.
  static func holders(tenant: TenantID, claims: [IdentityClaim]) -> Query {
    Query(.identityClaimsHolders) { parameters in
      parameters.tenant(tenant)
      parameters.textArray(claims.map(\.text))
    } read: { rows in
      var holders: [String: DeviceID] = [:]
      for row in 0..<rows.count { holders[rows.text(row, 0)] = rows.device(row, 1) }
      return holders
    }
  }
}

/// Statements whose rows say nothing: they do what they say or undo the transaction.
extension Query where Answer == Void {
  /// - Parameter holder: nil when nobody has it.
  static func claim(
    _ claim: IdentityClaim, from holder: DeviceID?, tenant: TenantID, device: DeviceID, now: Instant
  ) -> Query {
    Query(holder == nil ? .identityClaimsInsert : .identityClaimsMove) { parameters in
      parameters.tenant(tenant)
      parameters.text(claim.text)
      parameters.device(device)
      parameters.instant(now)
      if let holder { parameters.device(holder) }
    } read: { _ in
    }
  }

  static func release(_ claim: IdentityClaim, tenant: TenantID, holder: DeviceID) -> Query {
    Query(.identityClaimsRelease) { parameters in
      parameters.tenant(tenant)
      parameters.text(claim.text)
      parameters.device(holder)
    } read: { _ in
    }
  }

  static func eraseClaims(tenant: TenantID, device: DeviceID) -> Query {
    Query(.identityClaimsErase) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      let first = IdentityClaim.forks(of: device)
      parameters.text(first)
      // All that begins with it, and nothing else: the newline at its end is followed by its successor.
      parameters.text(String(first.dropLast()) + "\u{0B}")
    } read: { _ in
    }
  }

  /// - Parameter device: the one that is erased.
  static func unlink(tenant: TenantID, device: DeviceID) -> Query {
    Query(.identityUnlink) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } read: { _ in
    }
  }

  static func takeOver(tenant: TenantID, device: DeviceID, expected: Int64) -> Query {
    Query(.identityTakeOver) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.int8(expected)
    } read: { _ in
    }
  }

  /// - Parameters:
  ///   - rowVersion: that the sync has left.
  ///   - sequence: of the report.
  static func settle(
    tenant: TenantID, device: DeviceID, rowVersion: Int64, sequence: Int64, forkedFrom: DeviceID?
  ) -> Query {
    Query(.identitySettle) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.int8(rowVersion)
      parameters.int8(sequence)
      parameters.optionalDevice(forkedFrom)
    } read: { _ in
    }
  }

  /// - Parameter device: that has the claim now.
  static func displace(
    _ lost: IdentityChange.Held, tenant: TenantID, by device: DeviceID, now: Instant
  ) -> Query {
    Query(.identityDisplace) { parameters in
      parameters.tenant(tenant)
      parameters.device(lost.holder)
      parameters.instant(now)
      switch lost.claim {
      case .deviceKey(let key, let bundleId):
        parameters.text(bundleId ?? "")
        parameters.optionalDevice(device)
        parameters.text(key)
        parameters.text(nil)
        parameters.text(nil)
      case .push(let push, let bundleId):
        parameters.text(bundleId ?? "")
        parameters.optionalDevice(nil)
        parameters.text(nil)
        parameters.text(push.token)
        parameters.text(push.environment)
      case .fork: preconditionFailure("the id of a copy never moves")
      }
    } read: { _ in
    }
  }
}

extension Parameters {
  fileprivate mutating func optionalDevice(_ id: DeviceID?) {
    uuid(id.map { ($0.uuid.high, $0.uuid.low) })
  }
}
