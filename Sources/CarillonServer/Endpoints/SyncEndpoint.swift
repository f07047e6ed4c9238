import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService
import CarillonStore

extension SyncService {
  /// `POST /v1/devices/{deviceId}/sync`
  func respond(
    to call: Call, device: DeviceID, signer: TokenSigner
  ) async throws(Problem) -> HTTPResponse {
    let scan = try reading { () throws(JSONError) in try ReportScan(call.body) }
    // An answer that is kept goes the long way: the short one is for reports that cost next to nothing to send again.
    if call.once == nil {
      let steady = try await serving { () async throws(ServiceError) -> SyncAnswer? in
        try await confirm(
          scan, tenant: call.tenant, device: device, user: call.principal.user, now: call.now)
      }
      if let steady { return .json(200) { steady.write(to: &$0, now: call.now) } }
    }
    let report = try reading { () throws(JSONError) in try ReceivedReport(call.body) }
    let answer = try await serving { () async throws(ServiceError) -> SyncAnswer in
      try await sync(
        report, tenant: call.tenant, device: device, user: call.principal.user, quotas: call.quotas,
        keeping: call.keeping { $0.kept(now: call.now) },
        now: call.now)
    }
    // Should this fail, the report is sent again, and finds the same id.
    if case .full(let response) = answer, let response = try await signer.withTokenOfFork(response, call) {
      return response
    }
    return HTTPResponse(answer.kept(now: call.now))
  }
}

extension TokenSigner {
  /// Who forked under a device token is given one for the new id; nil where there is none to give. It is never kept:
  /// what the same report is answered again holds the same one, made anew.
  func withTokenOfFork(_ response: SyncResponse, _ call: Call) async throws(Problem) -> HTTPResponse? {
    guard let forked = response.deviceId,
      let token = try await mintForFork(forked, call, at: response.serverTime)
    else { return nil }
    var response = response
    response.deviceToken = token
    return .json(200, [("Cache-Control", "no-store")]) { response.write(to: &$0) }
  }
}

extension SyncAnswer {
  fileprivate func kept(now: Instant) -> KeptAnswer {
    var writer = JSONWriter()
    write(to: &writer, now: now)
    return KeptAnswer(status: 200, body: writer.bytes)
  }
}
