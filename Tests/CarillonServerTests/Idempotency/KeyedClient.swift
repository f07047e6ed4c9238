import CarillonJSON
import IntegrationSupport

/// A request under an idempotency key, as a client sends it: again while it is told that the first one runs.
struct KeyedRequest: Sendable {
  var method: String
  var path: String
  var body: String?
  var headers: [(String, String)] = []

  func send(_ key: String, by client: HTTPTestClient) async throws -> HTTPTestClient.Response {
    while true {
      let answer = try await client.send(
        method, path, headers: headers + [("Idempotency-Key", key)], body: body)
      guard answer.json["code"]?.string == "idempotencyInProgress" || hasNoPermit(answer) else {
        return answer
      }
      guard answer.header("Retry-After") == "1" else {
        throw HTTPTestClient.Failure(description: "\(answer)")
      }
    }
  }
}

/// Who asks again at once instead of waiting meets the rate of its device.
private func hasNoPermit(_ answer: HTTPTestClient.Response) -> Bool {
  answer.status == 429 && answer.json["detail"]?.string?.hasPrefix("This device's") == true
}

extension HTTPTestClient.Response {
  var isReplay: Bool { header("Idempotency-Replay") == "true" }

  /// All of an answer that a client goes by.
  var essence: String { "\(status) \(header("ETag") ?? "-") \(header("Content-Type") ?? "-") \(text)" }
}
