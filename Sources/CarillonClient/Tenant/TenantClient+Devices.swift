import CarillonAPI
import CarillonJSON
import CarillonModel

extension TenantClient {
  /// A new token for a device: what its app's `credential` closure hands to the SDK. Also for a device that has not
  /// reported yet. A secret: hand it to that device and keep it nowhere.
  ///
  ///     app.post("carillon-token") { request in
  ///       try await carillon.mintToken(for: request.deviceId).token
  ///     }
  ///
  /// It serves whoever the device says is signed in. Where users must not reach each other's inbox by lying about who
  /// they are, mint it for one user: ``mintToken(for:user:ttl:)``.
  ///
  /// - Parameters:
  ///   - device: that it is for.
  ///   - ttl: seconds it lives, 60...86,400.
  public func mintToken(
    for device: DeviceID, ttl: Int = WireLimits.defaultTokenSeconds
  ) async throws(CarillonError) -> TokenResponse {
    try await mint(device, TokenRequest(ttl: ttl))
  }

  /// A new token that serves a device while this user is signed in, and no other.
  ///
  ///     app.post("carillon-token") { request in
  ///       try await carillon.mintToken(for: request.deviceId, user: request.session.userId).token
  ///     }
  ///
  /// - Parameters:
  ///   - device: that it is for.
  ///   - user: as the app's `DeviceInfo.userId` says it; nil: nobody is signed in.
  ///   - ttl: seconds it lives, 60...86,400.
  public func mintToken(
    for device: DeviceID, user: String?, ttl: Int = WireLimits.defaultTokenSeconds
  ) async throws(CarillonError) -> TokenResponse {
    try await mint(device, TokenRequest(ttl: ttl, user: BoundUser(user)))
  }

  private func mint(_ device: DeviceID, _ request: TokenRequest) async throws(CarillonError) -> TokenResponse
  {
    let answer = try await send(.mintDeviceToken(device), body: request.json)
    return try read(answer) { (body) throws(JSONError) in try TokenResponse(body) }
  }

  /// Erases everything about a device. Stop handing out tokens for it first: a device that still has one makes itself
  /// anew when it reports.
  ///
  /// - Throws: ``CarillonError/Code/refused`` with the problem `deviceNotFound` when there is none.
  public func erase(_ device: DeviceID) async throws(CarillonError) {
    let answer = try await send(.eraseDevice(device), expected: [404])
    // Gone at the second try: the first one did it, and its answer was lost.
    if answer.response.status == 404, answer.attempts == 1 { throw CarillonError(answer.response) }
  }
}
