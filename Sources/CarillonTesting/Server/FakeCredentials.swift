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

  /// - Parameter user: whom alone it serves; nil: whoever the device reports.
  func token(for device: DeviceID, user: BoundUser?, ttl: Int, now: Instant) -> String {
    let end = now.adding(seconds: Int64(ttl)).milliseconds
    // In hexadecimal: an id may hold anything.
    let user = user.map {
      "." + $0.id.utf8.map { String(0x100 | UInt16($0), radix: 16).dropFirst() }.joined()
    }
    return "fake.\(generation).\(device.text).\(end)\(user ?? "")"
  }

  /// As the real server: a tenant key reaches everything, a device's token what is that device's to do.
  ///
  /// - Returns: whom alone the credential serves; nil: whoever is there.
  func check(_ request: TransportRequest, may route: Route, now: Instant) throws(Problem) -> BoundUser? {
    guard areChecked, route.endpoint.credential != .none else { return nil }
    let header = request.headers.first { $0.name.lowercased() == "authorization" }?.value
    guard let header, header.hasPrefix("Bearer ") else {
      throw Problem(.unauthenticated, "Send Authorization: Bearer with a tenant key or a device token.")
    }
    let credential = header.dropFirst("Bearer ".count)
    if credential.hasPrefix("ck_") { return nil }
    let parts = credential.split(separator: ".", omittingEmptySubsequences: false)
    guard (4...5).contains(parts.count), parts[0] == "fake", let number = Int(parts[1]),
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
    return parts.count < 5 ? nil : BoundUser(Self.text(hexadecimal: parts[4]))
  }

  private static func text(hexadecimal digits: Substring) -> String {
    let bytes = stride(from: 0, to: digits.utf8.count - 1, by: 2).compactMap { offset in
      UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Problem {
  static let wrongUser = Problem(
    .wrongUser, "This device token is for one user, and the device is not that user's; nothing was changed.")
}

extension FakeServer {
  /// From now on device tokens are checked as the real server checks them: they end, and reach their device alone. Any
  /// `ck_…` passes for a tenant key.
  public func checkCredentials() { withTenant { $0.credentials.areChecked = true } }

  /// A token, as the tenant's backend would get one.
  public func deviceToken(for device: DeviceID, ttl: Int = WireLimits.defaultTokenSeconds) -> String {
    let now = currentTime
    return withTenant { $0.credentials.token(for: device, user: nil, ttl: ttl, now: now) }
  }

  /// A token that serves one user alone; nil: nobody.
  public func deviceToken(
    for device: DeviceID, user: String?, ttl: Int = WireLimits.defaultTokenSeconds
  ) -> String {
    let now = currentTime
    return withTenant { $0.credentials.token(for: device, user: BoundUser(user), ttl: ttl, now: now) }
  }

  /// Ends every device token, as `tenantctl key rotate-signing --now` does.
  public func endDeviceTokens() { withTenant { $0.credentials.revokeAll() } }
}
