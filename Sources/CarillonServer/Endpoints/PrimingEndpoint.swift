import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService
import CarillonStore

extension PrimingService {
  /// `POST /v1/devices/{deviceId}/priming`
  func respond(to call: Call, device: DeviceID) async throws(Problem) -> HTTPResponse {
    let question = try reading { () throws(JSONError) in try PrimingQuestion(call.body) }
    let decision = try await serving { () async throws(ServiceError) -> PrimingDecision in
      try await answer(
        question, tenant: call.tenant, device: device,
        keeping: call.keeping { KeptAnswer(status: 200, body: $0.json) }, now: call.now)
    }
    return .json(200, decision.json)
  }
}
