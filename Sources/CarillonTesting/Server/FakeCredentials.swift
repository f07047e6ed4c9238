import CarillonAPI
import CarillonClient
import CarillonModel

/// The credentials of the fake server: device tokens that end, and are some device's. Nothing in them is secret.
struct FakeCredentials {
  /// Whether device tokens are looked at; otherwise any credential is taken.
  var areChecked = false
  /// Tokens of a lower number were revoked.
  private(set) var generation = 0

  mutating func revokeAll() { generation += 1 }

  func token(for device: DeviceID, ttl: Int, now: Instant) -> String {
    "fake.\(generation).\(device.text).\(now.adding(seconds: Int64(ttl)).milliseconds)"
  }

  /// As the real server: a tenant key reaches everything, a device's token what is that device's to do.
  func check(_ request: TransportRequest, may route: Route, now: Instant) throws(Problem) {
    guard areChecked, route.endpoint.credential != .none else { return }
    let header = request.headers.first { $0.name.lowercased() == "authorization" }?.value
    guard let header, header.hasPrefix("Bearer ") else {
      throw Problem(.unauthenticated, "Send Authorization: Bearer with a tenant key or a device token.")
    }
    let credential = header.dropFirst("Bearer ".count)
    if credential.hasPrefix("ck_") { return }
    let parts = credential.split(separator: ".")
    guard parts.count == 4, parts[0] == "fake", let number = Int(parts[1]),
      let device = DeviceID(String(parts[2])),
      let end = Int64(parts[3])
    else { throw Problem(.invalidCredential, "The token is not one of the fake server's.") }
    guard number == generation, now.milliseconds < end else {
      throw Problem(.expiredCredential, "The device token has ended; get a new one from the app's backend.")
    }
    guard route.endpoint.credential == .tenantKeyOrDeviceToken else {
      throw Problem(.insufficientScope, "A device token does not reach this; use a tenant key.")
    }
    guard route.device == device else {
      throw Problem(.wrongDevice, "This device token is another device's.")
    }
  }
}

extension FakeServer {
  /// From now on device tokens are checked as the real server checks them: they end, and reach their device alone. Any
  /// `ck_…` passes for a tenant key.
  public func checkCredentials() { withTenant { $0.credentials.areChecked = true } }

  /// A token, as the tenant's backend would get one.
  public func deviceToken(for device: DeviceID, ttl: Int = WireLimits.defaultTokenSeconds) -> String {
    let now = currentTime
    return withTenant { $0.credentials.token(for: device, ttl: ttl, now: now) }
  }

  /// Ends every device token, as `tenantctl key rotate-signing --now` does.
  public func endDeviceTokens() { withTenant { $0.credentials.revokeAll() } }
}
