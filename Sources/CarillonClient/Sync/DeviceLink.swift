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
    /// An earlier try of the same request may have done the work.
    var isRepetition: Bool
  }

  private static let refusals: Set<Int> = [401, 403]

  private let sender: RetryingSender
  private let timeout: Double
  private let credential: DeviceCredential

  init(
    sender: RetryingSender, timeout: Double,
    credential: @escaping @Sendable (DeviceID) async throws -> String
  ) {
    self.sender = sender
    self.timeout = timeout
    self.credential = DeviceCredential(credential)
  }

  func send(_ report: SyncRequest, from device: DeviceID) async throws(CarillonError) -> Answer {
    let body = report.json
    guard body.count <= WireLimits.bodyBytes else {
      throw CarillonError(
        .tooLarge, "the report has \(body.count) bytes, \(WireLimits.bodyBytes) are allowed")
    }
    return try read(try await exchange(.syncDevice(device), body: body, from: device), from: device)
  }

  /// Anything about this installation.
  func send(
    _ route: Route, body: [UInt8]?, headers: [TransportHeader] = [], from device: DeviceID
  ) async throws(CarillonError) -> TransportResponse {
    try await exchange(route, body: body, headers: headers, from: device).response
  }

  private func exchange(
    _ route: Route, body: [UInt8]?, headers: [TransportHeader] = [], from device: DeviceID
  ) async throws(CarillonError) -> RetryingSender.Answer {
    var request = TransportRequest(
      method: route.method, target: route.target,
      headers: [TransportHeader("Accept", "application/json")] + headers, body: body, timeout: timeout)
    if body != nil { request.headers.append(TransportHeader("Content-Type", "application/json")) }
    // A report needs none: its sequence gives it one effect.
    if route.endpoint.isWrite, route.endpoint != .syncDevice {
      request.headers.append(TransportHeader("Idempotency-Key", sender.effects.uuid().text))
    }
    let plain = request.headers
    let first = try await credential.token(for: device)
    request.headers.append(TransportHeader("Authorization", "Bearer \(first)"))
    let answer = try await sender.send(request, expected: Self.refusals)
    guard try answer.response.refusesCredential() else { return answer }
    // It has ended, or is another user's: once more with a new one.
    credential.forget(first, of: device)
    let second = try await credential.token(for: device)
    request.headers = plain
    request.headers.append(TransportHeader("Authorization", "Bearer \(second)"))
    let again = try await sender.send(request, expected: Self.refusals)
    guard try again.response.refusesCredential() else { return again }
    credential.forget(second, of: device)
    throw CarillonError(again.response)
  }

  private func read(
    _ answer: RetryingSender.Answer, from device: DeviceID
  ) throws(CarillonError) -> Answer {
    let transport = answer.response
    let response: SyncResponse
    do {
      response = try SyncResponse(transport.body)
    } catch {
      throw CarillonError(.unexpectedAnswer, "the answer to a sync cannot be read: \(error)")
    }
    if let forked = response.deviceId, let token = response.deviceToken {
      credential.note(token, for: forked)
    }
    let backoff = transport.header("backoff").flatMap(Double.init).flatMap { $0 > 0 ? $0 : nil }
    return Answer(
      response: response, device: response.deviceId ?? device, backoff: backoff,
      isRepetition: answer.attempts > 1)
  }
}

extension TransportResponse {
  /// Whether another credential may serve where this one did not.
  ///
  /// - Throws: for a 403 that none would help.
  fileprivate func refusesCredential() throws(CarillonError) -> Bool {
    switch status {
    case 401: return true
    case 403:
      guard ReceivedProblem(status: status, body: body).code == ProblemCode.wrongUser.rawValue else {
        throw CarillonError(self)
      }
      return true
    default: return false
    }
  }
}
