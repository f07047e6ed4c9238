import CarillonAPI
import CarillonModel
import CarillonStore

/// Who makes a request, and what they may do. The tenant comes from here and from nowhere else.
struct Principal: Sendable {
  enum Kind: Hashable, Sendable {
    case tenantKey(id: String, scopes: Set<KeyScope>)
    /// Reaches this device alone.
    case device(DeviceID)
  }

  var tenant: TenantID
  var kind: Kind
  /// Of a device token that serves one user alone.
  var user: BoundUser?
  /// When a device token ends: by itself, or with the key that signed it.
  var expiresAt: Instant?

  var isDevice: Bool { if case .device = kind { true } else { false } }

  /// A tenant key reaches what its scopes name; a device, what is a device's to do, and of that its own. The answer is
  /// the same whether what it must not reach exists or not.
  func check(may route: Route) throws(Problem) {
    let endpoint = route.endpoint
    switch kind {
    case .tenantKey(_, let scopes):
      guard let scope = endpoint.scope, let wanted = KeyScope(rawValue: scope.rawValue) else { return }
      guard scopes.contains(wanted) else {
        throw Problem(
          .insufficientScope, "This key lacks the scope \(scope.rawValue); use one that was made with it.")
      }
    case .device(let own):
      guard endpoint.credential == .tenantKeyOrDeviceToken, let device = route.device else {
        let scope = endpoint.scope.map { " with the scope \($0.rawValue)" } ?? ""
        throw Problem(.insufficientScope, "A device token does not reach this; use a tenant key\(scope).")
      }
      guard device == own else {
        throw Problem(
          .wrongDevice, "This device token is another device's; use the id that the token was made for.")
      }
    }
  }
}

/// Why a credential is not taken. What exactly was wrong with it is not told: it would help to guess.
enum AuthenticationFailure: Error {
  case missing
  case invalid
  /// A genuine device token whose time is over, or whose key was retired.
  case expired
  case tenantSuspended
  /// A device token of ours, and the master key that it takes to check it is not at hand.
  case tokensUnavailable
  case store(StoreError)
}
