import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService

extension PreviewService {
  /// `POST /v1/policy/preview`
  func respond(to call: Call) async throws(Problem) -> HTTPResponse {
    let request = try reading { () throws(JSONError) in try PolicyPreviewRequest(call.body) }
    let preview = try await serving { () async throws(ServiceError) -> PolicyPreview in
      try await self.preview(
        request.policy, sample: request.sample, device: request.deviceId, tenant: call.tenant, now: call.now)
    }
    return .json(200, preview.json)
  }
}
