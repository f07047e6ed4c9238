import CarillonModel

/// Sends one request until it is answered or the policy gives up, and turns what is not 2xx into an error.
struct RetryingSender: Sendable {
  let transport: any Transport
  let policy: RetryPolicy
  let effects: Effects

  struct Answer {
    var response: TransportResponse
    /// Above 1: an earlier try may already have done the work.
    var attempts: Int
  }

  /// - Returns: a 2xx answer, or 304, or one with a status in `expected`.
  func send(_ request: TransportRequest, expected: Set<Int> = []) async throws(CarillonError) -> Answer {
    var decider = RetryDecider(policy: policy)
    while true {
      let outcome = await attempt(request)
      let decision: RetryDecider.Decision
      switch outcome {
      case .success(let response):
        if (200...299).contains(response.status) || response.status == 304
          || expected.contains(response.status)
        {
          return Answer(response: response, attempts: decider.attempts + 1)
        }
        decision = decider.after(response, random: effects.random())
      case .failure(let error):
        decision = decider.after(error, random: effects.random())
      }
      switch (decision, outcome) {
      case (.giveUp, .success(let response)): throw CarillonError(response)
      case (.giveUp, .failure(let error)): throw CarillonError(error)
      case (.wait(let seconds), _):
        do {
          try await effects.sleep(seconds)
        } catch {
          throw CarillonError(.cancelled, "the task was cancelled while it waited to try again")
        }
      }
    }
  }

  private func attempt(_ request: TransportRequest) async -> Result<TransportResponse, TransportError> {
    do {
      return .success(try await transport.send(request))
    } catch {
      return .failure(error)
    }
  }
}
