import CarillonAPI

/// When a request is sent again: after 429, 503, a 409 with `Retry-After` (the first one is still running), and when
/// the connection broke.
///
/// The wait is a random part of a span that doubles (full jitter), so that many devices do not come back at once. A
/// server's `Retry-After` is the least wait; one beyond ``longestWait`` ends the attempts, and the error carries it.
public struct RetryPolicy: Hashable, Sendable {
  /// The first one included; at least 1.
  public var maximumAttempts: Int
  /// Seconds of the first span.
  public var firstSpan: Double
  /// Seconds; no span and no `Retry-After` beyond this is waited for.
  public var longestWait: Double

  public init(maximumAttempts: Int = 4, firstSpan: Double = 0.5, longestWait: Double = 30) {
    precondition(maximumAttempts >= 1, "there is at least one attempt")
    precondition(firstSpan >= 0 && longestWait >= 0, "waits are not negative")
    self.maximumAttempts = maximumAttempts
    self.firstSpan = firstSpan
    self.longestWait = longestWait
  }

  /// One attempt, no waiting: for callers with a queue of their own.
  public static let never = RetryPolicy(maximumAttempts: 1)
}

/// Decides after each attempt. A value: it neither waits nor sends.
struct RetryDecider {
  enum Decision: Hashable {
    case giveUp
    /// Seconds.
    case wait(Double)
  }

  let policy: RetryPolicy
  private(set) var attempts = 0

  init(policy: RetryPolicy) { self.policy = policy }

  /// - Parameter random: in 0..<1.
  mutating func after(_ response: TransportResponse, random: Double) -> Decision {
    attempts += 1
    let retryAfter = Self.retryAfter(of: response)
    switch response.status {
    // What only somebody else can mend is not waited for.
    case 503 where !ReceivedProblem(status: 503, body: response.body).isRetryable: return .giveUp
    case 429, 503: return decide(atLeast: retryAfter ?? 0, random: random)
    case 409 where retryAfter != nil: return decide(atLeast: retryAfter ?? 0, random: random)
    default: return .giveUp
    }
  }

  mutating func after(_ error: TransportError, random: Double) -> Decision {
    attempts += 1
    switch error.code {
    case .connection, .timeout: return decide(atLeast: 0, random: random)
    case .cancelled, .configuration, .tooLarge: return .giveUp
    }
  }

  private func decide(atLeast least: Double, random: Double) -> Decision {
    guard attempts < policy.maximumAttempts, least <= policy.longestWait else { return .giveUp }
    var span = policy.firstSpan
    for _ in 1..<max(attempts, 1) where span < policy.longestWait { span *= 2 }
    span = min(span, policy.longestWait)
    // The jitter comes on top, so that those told the same number do not come back together.
    return .wait(least + span * random)
  }

  /// Seconds. A date (RFC 9110, section 10.2.3; proxies send it) counts from the answer's own `Date`, since a device's
  /// clock may be wrong.
  static func retryAfter(of response: TransportResponse) -> Double? {
    guard let text = response.header("retry-after") else { return nil }
    if let date = HTTPDate(text) {
      guard let now = response.header("date").flatMap({ HTTPDate($0) }) else { return nil }
      return max(0, Double(date.secondsSinceEpoch - now.secondsSinceEpoch))
    }
    guard let seconds = Double(text), seconds >= 0, seconds.isFinite else { return nil }
    return seconds
  }
}
