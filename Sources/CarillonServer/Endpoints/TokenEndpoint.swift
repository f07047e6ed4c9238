import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel

extension TokenSigner {
  /// `POST /v1/devices/{deviceId}/token`: also for a device that has not reported yet, which needs one to report.
  func respond(to call: Call, device: DeviceID) async throws(Problem) -> HTTPResponse {
    let request = try reading { () throws(JSONError) in try TokenRequest(call.body) }
    let minted = try await mint(device: device, tenant: call.tenant, ttl: request.ttl, now: call.now)
    return .json(200, minted.json, [("Cache-Control", "no-store")])
  }

  /// The token that goes with a new id: who made the call with a device token can use the id with nothing else.
  func mintForFork(_ device: DeviceID, _ call: Call) async throws(Problem) -> String? {
    guard call.principal.isDevice else { return nil }
    return try await mint(
      device: device, tenant: call.tenant, ttl: WireLimits.defaultTokenSeconds, now: call.now
    ).token
  }
}
