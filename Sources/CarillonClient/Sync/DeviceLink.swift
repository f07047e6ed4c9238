import CarillonAPI
import CarillonJSON
import CarillonModel

/// Sends reports under the device's credential and reads the answers.
final class DeviceLink {
  struct Answer {
    var response: SyncResponse
    /// The id to use from now on.
    var device: DeviceID
    /// Seconds.
    var backoff: Double?
  }

  private let sender: RetryingSender
  private let timeout: Double
  private let credential: @Sendable (DeviceID) async throws -> String
  /// The token that came with a new id; it stands in for the app's until it is refused.
  private var issued: (device: DeviceID, token: String)?

  init(
    sender: RetryingSender, timeout: Double,
    credential: @escaping @Sendable (DeviceID) async throws -> String
  ) {
    self.sender = sender
    self.timeout = timeout
    self.credential = credential
  }

  func send(_ report: SyncRequest, from device: DeviceID) async throws(CarillonError) -> Answer {
    let body = report.json
    guard body.count <= WireLimits.bodyBytes else {
      throw CarillonError(
        .tooLarge, "the report has \(body.count) bytes, \(WireLimits.bodyBytes) are allowed")
    }
    return try read(try await send(.syncDevice(device), body: body, from: device), from: device)
  }

  /// Anything about this installation.
  func send(
    _ route: Route, body: [UInt8]?, from device: DeviceID
  ) async throws(CarillonError) -> TransportResponse {
    var request = TransportRequest(
      method: route.method, target: route.target,
      headers: [TransportHeader("Accept", "application/json")], body: body, timeout: timeout)
    if body != nil { request.headers.append(TransportHeader("Content-Type", "application/json")) }
    let plain = request.headers
    request.headers.append(TransportHeader("Authorization", "Bearer \(try await token(for: device))"))
    var answer = try await sender.send(request, expected: [401])
    if answer.response.status == 401 {
      // It may have expired since it was made: once more with a new one.
      issued = nil
      request.headers = plain
      request.headers.append(TransportHeader("Authorization", "Bearer \(try await token(for: device))"))
      answer = try await sender.send(request)
    }
    return answer.response
  }

  private func read(
    _ transport: TransportResponse, from device: DeviceID
  ) throws(CarillonError) -> Answer {
    let response: SyncResponse
    do {
      response = try SyncResponse(transport.body)
    } catch {
      throw CarillonError(.unexpectedAnswer, "the answer to a sync cannot be read: \(error)")
    }
    if let forked = response.deviceId, let token = response.deviceToken { issued = (forked, token) }
    let backoff = transport.header("backoff").flatMap(Double.init).flatMap { $0 > 0 ? $0 : nil }
    return Answer(response: response, device: response.deviceId ?? device, backoff: backoff)
  }

  private func token(for device: DeviceID) async throws(CarillonError) -> String {
    if let issued, issued.device == device { return issued.token }
    do {
      return try await credential(device)
    } catch {
      throw CarillonError(
        .noCredential, "the app gave no credential: \(error)", isRetryable: true)
    }
  }
}
