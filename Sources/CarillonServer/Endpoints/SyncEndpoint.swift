import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService

extension SyncService {
  /// `POST /v1/devices/{deviceId}/sync`
  func respond(
    to call: Call, device: DeviceID, signer: TokenSigner
  ) async throws(Problem) -> HTTPResponse {
    let scan = try reading { () throws(JSONError) in try ReportScan(call.body) }
    var answer = try await serving { () async throws(ServiceError) -> SyncAnswer? in
      try await confirm(scan, tenant: call.tenant, device: device, now: call.now)
    }
    if answer == nil {
      let report = try reading { () throws(JSONError) in try ReceivedReport(call.body) }
      answer = try await serving { () async throws(ServiceError) -> SyncAnswer in
        try await sync(report, tenant: call.tenant, device: device, now: call.now)
      }
    }
    var headers: [(name: String, value: String)] = []
    if case .full(var response)? = answer, let forked = response.deviceId {
      // Should this fail, the report is sent again, and finds the same id.
      response.deviceToken = try await signer.mintForFork(forked, call)
      answer = .full(response)
      if response.deviceToken != nil { headers = [("Cache-Control", "no-store")] }
    }
    return .json(200, headers) { answer?.write(to: &$0, now: call.now) }
  }
}
