import CarillonEventLoop
import CarillonHTTP

/// The smallest server: an actor on its loop that owns the listener and answers for it.
actor Worker: HTTPHandler {
  typealias Respond = @Sendable (HTTPRequest) async -> HTTPResponse

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  let limit: Int
  let answer: Respond
  private(set) var requests: [HTTPRequest] = []
  private var server: HTTPServer?

  init(loop: EventLoop, limit: Int, answer: @escaping Respond) {
    self.loop = loop
    self.limit = limit
    self.answer = answer
  }

  func open(_ configuration: HTTPServer.Configuration) throws -> UInt16 {
    let server = try HTTPServer(loop: loop, configuration: configuration, handler: self)
    self.server = server
    return server.port
  }

  func drain(_ grace: Duration) async { await server?.drain(grace: grace) }

  /// Blocks the loop with `first`, then drains.
  func drain(_ grace: Duration, after first: @Sendable () -> Void) async {
    first()
    await server?.drain(grace: grace)
  }

  func isRefusingConnections(_ port: UInt16) -> Bool { (try? RawClient(port: port)) == nil }

  func close() async {
    await server?.drain(grace: .zero)
    server = nil
  }

  func use(_ credential: TLSCredential) { server?.use(credential) }

  var inFlight: Int { server?.inFlight ?? 0 }
  var connectionCount: Int { server?.connectionCount ?? 0 }

  var runCount: Int { server?.runCount ?? 0 }

  /// Lets the loop wait and wake so often that one with something to do would have done it.
  func turn(times: Int) async {
    for _ in 0..<times {
      await withCheckedContinuation { next in loop.schedule(after: .milliseconds(1)) { next.resume() } }
    }
  }

  var heldBytes: Int { server?.heldBytes ?? 0 }

  func bodyLimit(method: String, path: String) -> Int { limit }

  /// Nobody may send a body to `/closed`.
  func refusal(of head: HTTPRequest) -> HTTPResponse? {
    head.path == "/closed" ? HTTPResponse(status: 401, body: Array("closed".utf8)) : nil
  }

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    requests.append(request)
    return await answer(request)
  }

  func respond(to refusal: HTTPRefusal) -> HTTPResponse {
    switch refusal {
    case .malformed(let detail): HTTPResponse(status: 400, body: Array(detail.utf8))
    case .bodyTooLarge(let limit): HTTPResponse(status: 413, body: Array("limit \(limit)".utf8))
    case .lengthRequired: HTTPResponse(status: 411, body: Array("length".utf8))
    case .draining: HTTPResponse(status: 503, body: Array("draining".utf8))
    case .overloaded: HTTPResponse(status: 503, body: Array("overloaded".utf8))
    }
  }
}

/// Opens a server on a loop of its own for the time of `body`.
func withServer<T: Sendable>(
  limit: Int = 1_000_000, _ configuration: HTTPServer.Configuration = .patient,
  answer: @escaping Worker.Respond = echo, _ body: (UInt16, Worker) async throws -> T
) async throws -> T {
  let loop = try EventLoop(name: "http-test")
  loop.start()
  let worker = Worker(loop: loop, limit: limit, answer: answer)
  let result: Result<T, any Error>
  do {
    result = .success(try await body(try await worker.open(configuration), worker))
  } catch {
    result = .failure(error)
  }
  await worker.close()
  loop.stop()
  await loop.waitUntilStopped()
  return try result.get()
}

extension HTTPServer.Configuration {
  /// Closes nothing for being slow: a test may wait long for its turn where many run at once.
  static var patient: HTTPServer.Configuration {
    var configuration = HTTPServer.Configuration()
    configuration.idleTimeout = .seconds(3600)
    configuration.transferTimeout = .seconds(3600)
    return configuration
  }
}

/// Answers with what was asked: method, path, query, and the body after an empty line.
@Sendable func echo(_ request: HTTPRequest) async -> HTTPResponse {
  let head = "\(request.method) \(request.path) \(request.query ?? "-")\n\n"
  return HTTPResponse(
    status: 200, headers: [("Content-Type", "text/plain")], body: Array(head.utf8) + request.body)
}
