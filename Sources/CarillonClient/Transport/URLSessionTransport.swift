import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends by `URLSession`. Make one per server and keep it: it keeps its connections.
///
/// It asks for gzip and unfolds it by itself. Nothing is cached, no cookie is kept, and a redirect is not followed: it would carry the credential elsewhere.
public final class URLSessionTransport: Transport {
  /// Bytes of an answer; a plan with all its contents stays far below.
  public static let largestAnswer = 16 * 1024 * 1024

  /// Foundation's six are too few for a backend whose requests may each wait a minute for a plan: the seventh would not
  /// be sent before one of them is answered.
  static let mostConnections = TenantClient.mostRequests

  private let server: String
  private let session: URLSession
  private let receiver: TaskReceiver

  /// - Parameter server: scheme, host, port and, behind a proxy, a path: `https://carillon.example.com`.
  public init(server: URL) {
    precondition(
      server.scheme == "https" || server.scheme == "http", "the server is an http or https URL")
    var base = server.absoluteString
    while base.hasSuffix("/") { base.removeLast() }
    self.server = base
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpMaximumConnectionsPerHost = Self.mostConnections
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // A queue of its own: on Linux the completion of one task may else wait for another's.
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    receiver = TaskReceiver()
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: queue)
  }

  // A session keeps its delegate and its thread until it is told to stop.
  deinit { session.finishTasksAndInvalidate() }

  public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    guard let url = URL(string: server + request.target) else {
      throw TransportError(.configuration, "\(request.target) is not the path of a URL")
    }
    var outgoing = URLRequest(url: url)
    outgoing.httpMethod = request.method
    outgoing.httpBody = request.body.map { Data($0) }
    outgoing.timeoutInterval = request.timeout
    for header in request.headers { outgoing.setValue(header.value, forHTTPHeaderField: header.name) }
    let task = session.dataTask(with: outgoing)
    // `timeoutInterval` counts silence only and the limit for a whole task does nothing on Linux.
    let deadline = Task { [receiver] in
      try await Task.sleep(for: .seconds(request.timeout))
      receiver.end(task, with: TransportError(.timeout, "no answer within \(request.timeout) seconds"))
    }
    defer { deadline.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        receiver.start(task, continuation)
      }
    } onCancel: {
      receiver.end(task, with: TransportError(.cancelled, "the task was cancelled"))
    }
    return try result.get()
  }
}

/// Collects what the session's tasks bring, and answers each exactly once: by its end, its deadline or its
/// cancellation, whichever comes first.
private final class TaskReceiver: NSObject, URLSessionDataDelegate, Sendable {
  typealias Answer = CheckedContinuation<Result<TransportResponse, TransportError>, Never>

  private struct Exchange {
    var continuation: Answer
    var body: [UInt8] = []
  }

  private struct State {
    var exchanges: [Int: Exchange] = [:]
    /// Ended before they started: a task may be cancelled between its making and its start.
    var endedEarly: [Int: TransportError] = [:]
  }

  private let state = Mutex(State())

  func start(_ task: URLSessionDataTask, _ continuation: Answer) {
    let ended = state.withLock { state -> TransportError? in
      if let error = state.endedEarly.removeValue(forKey: task.taskIdentifier) { return error }
      state.exchanges[task.taskIdentifier] = Exchange(continuation: continuation)
      return nil
    }
    if let ended {
      continuation.resume(returning: .failure(ended))
      task.cancel()
    } else {
      task.resume()
    }
  }

  /// Ends a task from outside the session.
  func end(_ task: URLSessionDataTask, with error: TransportError) {
    let exchange = state.withLock { state -> Exchange? in
      if let exchange = state.exchanges.removeValue(forKey: task.taskIdentifier) { return exchange }
      // Only a task that was not started is still suspended; one that has ended needs no word.
      if task.state == .suspended { state.endedEarly[task.taskIdentifier] = error }
      return nil
    }
    guard let exchange else { return }
    exchange.continuation.resume(returning: .failure(error))
    task.cancel()
  }

  private func finish(_ task: URLSessionTask, _ make: (Exchange) -> Result<TransportResponse, TransportError>)
  {
    let exchange = state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
    if let exchange { exchange.continuation.resume(returning: make(exchange)) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = state.withLock { state in
      guard let size = state.exchanges[dataTask.taskIdentifier]?.body.count else { return false }
      if size + data.count > URLSessionTransport.largestAnswer { return true }
      state.exchanges[dataTask.taskIdentifier]?.body.append(contentsOf: data)
      return false
    }
    if isTooLarge {
      end(
        dataTask,
        with: TransportError(.tooLarge, "the answer has more than \(URLSessionTransport.largestAnswer) bytes")
      )
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    finish(task) { exchange in
      if let error { return .failure(Self.transportError(error)) }
      guard let response = task.response as? HTTPURLResponse else {
        return .failure(TransportError(.connection, "the server did not speak HTTP"))
      }
      let headers = response.allHeaderFields.compactMap { name, value -> TransportHeader? in
        guard let name = name as? String, let value = value as? String else { return nil }
        return TransportHeader(name, value)
      }
      return .success(
        TransportResponse(status: response.statusCode, headers: headers, body: exchange.body))
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  private static func transportError(_ error: any Error) -> TransportError {
    let detail = error.localizedDescription
    guard let code = (error as? URLError)?.code else { return TransportError(.connection, detail) }
    return switch code {
    case .timedOut: TransportError(.timeout, detail)
    case .cancelled: TransportError(.cancelled, detail)
    case .badURL, .unsupportedURL, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .secureConnectionFailed,
      .clientCertificateRejected, .clientCertificateRequired:
      TransportError(.configuration, detail)
    default: TransportError(.connection, detail)
    }
  }
}
