import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService
import CarillonStore

extension TokenSigner {
  /// `POST /v1/devices/{deviceId}/token`: also for a device that has not reported yet, which needs one to report.
  ///
  /// A token is never kept, but when it was made: what the same request is answered again is the same one, signed anew.
  func respond(
    to call: Call, device: DeviceID, answers: IdempotencyService
  ) async throws(Problem) -> HTTPResponse {
    let response = try await respond(to: call, device: device, at: call.now)
    if let once = call.once {
      let made = KeptAnswer(status: 200, body: Array(call.now.description.utf8))
      _ = try await serving { () async throws(ServiceError) in
        try await answers.keep(made, under: once.key, tenant: call.tenant, device: device, now: call.now)
      }
    }
    return response
  }

  /// - Parameter made: what is kept of a token.
  func respondAgain(_ made: KeptAnswer, to call: Call, device: DeviceID) async throws(Problem) -> HTTPResponse
  {
    guard let instant = Instant(String(decoding: made.body, as: UTF8.self)) else {
      throw Problem(StoreError.unreadable(.answer))
    }
    return try await respond(to: call, device: device, at: instant)
  }

  private func respond(
    to call: Call, device: DeviceID, at instant: Instant
  ) async throws(Problem) -> HTTPResponse {
    let request = try reading { () throws(JSONError) in try TokenRequest(call.body) }
    let minted = try await mint(
      device: device, tenant: call.tenant, ttl: request.ttl, user: request.user, now: instant)
    return .json(200, minted.json, [("Cache-Control", "no-store")])
  }

  /// The token that goes with a new id: who made the call with a device token can use the id with nothing else.
  func mintForFork(
    _ device: DeviceID, _ call: Call, at instant: Instant
  ) async throws(Problem) -> String? {
    guard let end = call.principal.expiresAt else { return nil }
    // It ends with the one that made it: a device cannot lengthen what it was given.
    let seconds = Int((end.milliseconds - instant.milliseconds) / 1000)
    return try await mint(
      device: device, tenant: call.tenant, ttl: max(0, seconds), user: call.principal.user, now: instant
    ).token
  }
}
