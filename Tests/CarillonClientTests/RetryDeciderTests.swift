import Testing

@testable import CarillonClient

@Suite struct RetryDeciderTests {
  private func response(_ status: Int, retryAfter: String? = nil) -> TransportResponse {
    TransportResponse(
      status: status, headers: retryAfter.map { [TransportHeader("Retry-After", $0)] } ?? [])
  }

  @Test(arguments: [
    (200, nil, false), (400, nil, false), (401, nil, false), (404, nil, false), (409, nil, false),
    (409, "1", true), (412, nil, false), (422, nil, false), (429, nil, true), (429, "2", true),
    (500, nil, false), (503, nil, true), (503, "31", false), (503, "soon", true),
  ])
  func statusesThatAreTriedAgain(status: Int, retryAfter: String?, isTriedAgain: Bool) {
    var decider = RetryDecider(policy: RetryPolicy())
    let decision = decider.after(response(status, retryAfter: retryAfter), random: 0.5)
    #expect((decision != .giveUp) == isTriedAgain)
  }

  @Test(arguments: [
    (TransportError.Code.connection, true), (.timeout, true), (.cancelled, false),
    (.configuration, false), (.tooLarge, false),
  ])
  func failuresThatAreTriedAgain(code: TransportError.Code, isTriedAgain: Bool) {
    var decider = RetryDecider(policy: RetryPolicy())
    #expect((decider.after(TransportError(code, ""), random: 0) != .giveUp) == isTriedAgain)
  }

  @Test func theSpanDoublesUpToTheLongestAndTheAttemptsEnd() {
    var decider = RetryDecider(policy: RetryPolicy(maximumAttempts: 6, firstSpan: 1, longestWait: 5))
    var waits: [RetryDecider.Decision] = []
    for _ in 0..<6 { waits.append(decider.after(response(503), random: 0.5)) }
    #expect(waits == [.wait(0.5), .wait(1), .wait(2), .wait(2.5), .wait(2.5), .giveUp])
  }

  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:30 GMT", 7),
      ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:40 GMT", 0),
      ("Fri, 01 Jan 2027 00:00:01 GMT", "Thu, 31 Dec 2026 23:59:59 GMT", 2),
      ("Thu, 29 Feb 2024 00:00:00 GMT", "Wed, 28 Feb 2024 23:59:00 GMT", 60),
      ("Sun, 06 Nov 1994 08:49:37 GMT", nil, nil),
      ("Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:40 GMT", nil),
      ("Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:30 GMT", nil), ("-1", nil, nil),
      ("inf", nil, nil), ("2", nil, 2),
    ] as [(String, String?, Double?)])
  func retryAfterIsReadInBothForms(retryAfter: String, date: String?, seconds: Double?) {
    var answer = response(503, retryAfter: retryAfter)
    if let date { answer.headers.append(TransportHeader("Date", date)) }
    #expect(RetryDecider.retryAfter(of: answer) == seconds)
  }

  @Test func retryAfterIsTheLeastWait() {
    var decider = RetryDecider(policy: RetryPolicy(firstSpan: 1))
    #expect(decider.after(response(429, retryAfter: "7"), random: 0) == .wait(7))
    #expect(decider.after(response(429, retryAfter: "7"), random: 0.5) == .wait(8))
  }
}
