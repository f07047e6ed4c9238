import CarillonClient
import CarillonTesting
import Testing

/// What a bad network and a busy server do to a sync.
@Suite struct FaultTests {
  private static func answer(_ status: Int, retryAfter: String? = nil) -> FakeServer.Fault {
    .answers(
      TransportResponse(
        status: status, headers: retryAfter.map { [TransportHeader("Retry-After", $0)] } ?? []))
  }

  @Test func aLostRequestIsSentAgain() async throws {
    let device = TestDevice()
    device.server.put(reminder("a", after: 3600), for: device.id)
    device.server.inject(.losesRequest, .losesRequest)
    try await device.carillon.sync()
    #expect(device.center.pendingIDs == ["a"])
    #expect(device.server.reports.map(\.sequence) == [1, 1, 1, 2])
    #expect(device.clock.slept.count == 2)
  }

  /// The server did the work, its answer was lost, and the retry is stale: the next report settles it.
  @Test func aLostAnswerIsMadeUpFor() async throws {
    let device = TestDevice()
    device.server.inject(.losesAnswer)
    let outcome = try await device.carillon.schedule(reminder("a", after: 3600))
    #expect(device.center.pendingIDs == ["a"] && outcome.slots.held == 1)
    #expect(device.server.reports.map(\.sequence) == [1, 1, 2, 3])
    #expect(device.server.queue(of: device.id).count == 1)
    #expect(device.store.current?.outbox.isEmpty == true)
  }

  /// Each report is heard, and its answer lost: that the server knows it says nothing of another installation.
  @Test(arguments: [3, 100]) func answersThatGetLostAreNotTakenForAStateThatWasPutBack(lost: Int) async throws
  {
    let device = TestDevice()
    let carillon = Carillon(
      configuration: .init(server: FakeServer.url, effects: device.clock.effects), center: device.center,
      transport: LosesEveryFirstAnswer(server: device.server, most: lost), store: device.store,
      credential: { _ in "token" })
    let outcome = try await carillon.schedule(reminder("a", after: 3600))
    #expect(device.center.pendingIDs == ["a"] && device.store.current?.sequence ?? 0 < 20)
    #expect((outcome.confirmation == .server) == (lost == 3))
  }

  @Test(arguments: [429, 503]) func retryAfterIsHonoured(status: Int) async throws {
    let device = TestDevice()
    device.server.inject(Self.answer(status, retryAfter: "7"))
    try await device.carillon.sync()
    #expect(device.clock.slept.count == 1 && (7.0...7.5).contains(device.clock.slept[0]))
  }

  @Test func aLongRetryAfterIsTheCallersToWait() async throws {
    let device = TestDevice()
    device.server.inject(Self.answer(503, retryAfter: "600"))
    let error = await #expect(throws: CarillonError.self) { try await device.carillon.sync() }
    #expect(error?.retryAfter == 600 && error?.isRetryable == true && device.clock.slept.isEmpty)
  }

  @Test func whatCouldNotBeSentIsKept() async throws {
    let device = TestDevice(retry: .never)
    device.server.inject(.losesRequest)
    let outcome = try await device.carillon.schedule(reminder("a", after: 3600))
    guard case .device(let error) = outcome.confirmation else {
      Issue.record("the server has confirmed nothing: \(outcome)")
      return
    }
    #expect(error.code == .unreachable && error.isRetryable)
    #expect(device.store.current?.outbox.count == 1)
    // Another process, the same state.
    let restarted = TestDevice(server: device.server, store: device.store)
    try await restarted.carillon.sync()
    #expect(restarted.center.pendingIDs == ["a"] && restarted.store.current?.outbox.isEmpty == true)
  }

  @Test func theServersProblemIsDecoded() async throws {
    let device = TestDevice()
    var problem = Problem(.insufficientScope, "The key lacks the scope devices.")
    problem.requestId = "r-1"
    device.server.inject(
      .answers(
        TransportResponse(
          status: 403, headers: [TransportHeader("Content-Type", Problem.contentType)],
          body: problem.json)))
    let error = await #expect(throws: CarillonError.self) { try await device.carillon.sync() }
    #expect(error?.code == .refused && error?.isRetryable == false)
    #expect(error?.problem?.knownCode == .insufficientScope && error?.problem?.requestId == "r-1")
    #expect(error?.description.contains("r-1") == true)
  }

  @Test func aProxysPageIsNotMistakenForAnAnswer() async throws {
    let device = TestDevice()
    let page = Array("<html>Sign in to the network</html>".utf8)
    device.server.inject(
      .answers(TransportResponse(status: 200, body: page)),
      .answers(TransportResponse(status: 407, body: page)))
    for _ in 0..<2 {
      let error = await #expect(throws: CarillonError.self) { try await device.carillon.sync() }
      #expect(error?.code == .unexpectedAnswer)
    }
    #expect(device.center.calls.allSatisfy { if case .remove = $0 { false } else { true } })
  }

  @Test func anExpiredTokenIsAskedForOnceMore() async throws {
    let device = TestDevice()
    let asked = Counter()
    let carillon = Carillon(
      configuration: .init(server: FakeServer.url, effects: device.clock.effects), center: device.center,
      transport: device.server, store: device.store,
      credential: { id in
        #expect(id == device.id)
        return "token-\(asked.next())"
      })
    device.server.inject(Self.answer(401))
    try await carillon.sync()
    let sent = device.server.requests.compactMap { request in
      request.headers.first { $0.name == "Authorization" }?.value
    }
    #expect(sent == ["Bearer token-1", "Bearer token-2"])
  }

  @Test func withoutACredentialNothingIsSent() async throws {
    let device = TestDevice()
    let carillon = Carillon(
      configuration: .init(server: FakeServer.url, effects: device.clock.effects), center: device.center,
      transport: device.server, store: device.store,
      credential: { _ in throw TransportError(.connection, "signed out") })
    let error = await #expect(throws: CarillonError.self) { try await carillon.sync() }
    #expect(error?.code == .noCredential && device.server.requests.isEmpty)
  }

  @Test func aBusyServerIsSparedTheConfirmingReport() async throws {
    let device = TestDevice()
    device.server.put(reminder("a", after: 3600), for: device.id)
    let carillon = Carillon(
      configuration: .init(server: FakeServer.url, effects: device.clock.effects), center: device.center,
      transport: BusyServer(server: device.server), store: device.store, credential: { _ in "token" })
    let outcome = try await carillon.sync()
    #expect(outcome.backoff == 120 && outcome.reports == 1 && outcome.applied.added == ["a"])
  }
}

/// Loses the first answer to each request.
private struct LosesEveryFirstAnswer: Transport {
  let server: FakeServer
  let most: Int
  private let requests = Counter()

  init(server: FakeServer, most: Int) {
    self.server = server
    self.most = most
  }

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let answer = try await server.send(request)
    let number = requests.next()
    if number % 2 == 1, number / 2 < most { throw TransportError(.connection, "the connection broke") }
    return answer
  }
}

/// Asks for patience with every answer.
private struct BusyServer: Transport {
  let server: FakeServer

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    var answer = try await server.send(request)
    answer.headers.append(TransportHeader("Backoff", "120"))
    return answer
  }
}
