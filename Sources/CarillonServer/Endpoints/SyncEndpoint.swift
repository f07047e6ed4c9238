import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService

extension SyncService {
  /// `POST /v1/devices/{deviceId}/sync`
  func respond(to call: Call, device: DeviceID) async throws(Problem) -> HTTPResponse {
    let report = try reading { () throws(JSONError) in try ReceivedReport(call.body) }
    let answer = try await serving { () async throws(ServiceError) in
      try await sync(report, tenant: call.tenant, device: device, now: call.now)
    }
    return .json(200) { answer.write(to: &$0, now: call.now) }
  }
}
