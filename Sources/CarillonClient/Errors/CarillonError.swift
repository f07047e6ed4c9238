import CarillonAPI
import CarillonModel

/// What went wrong, in a form a program can act on. The description says what to do and is safe for a log.
public struct CarillonError: Error, Hashable, Sendable, CustomStringConvertible {
  /// More may come: a `switch` wants a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ name: String) { description = name }

    /// There was no answer. What was to be sent is kept and goes with the next sync.
    public static let unreachable = Code("unreachable")
    /// The server asked for more patience than a call has; see ``CarillonError/retryAfter``.
    public static let busy = Code("busy")
    /// The server refused the request; see ``CarillonError/problem``.
    public static let refused = Code("refused")
    /// What was to be changed has changed since it was read; see ``CarillonError/currentVersion``. Read it again and put
    /// the change on top.
    public static let conflict = Code("conflict")
    /// This notification cannot be taken, and nothing else is wrong; see ``CarillonError/fault``.
    public static let notificationRefused = Code("notificationRefused")
    /// The answer is not one of our server, e.g. that of a proxy.
    public static let unexpectedAnswer = Code("unexpectedAnswer")
    /// The app's closure gave no credential.
    public static let noCredential = Code("noCredential")
    /// The state could not be read from or written to where it is kept. Nothing was changed.
    public static let stateUnavailable = Code("stateUnavailable")
    /// Too much waits to be sent. Nothing was changed.
    public static let outboxFull = Code("outboxFull")
    /// The notification is larger than one request may be. Nothing was changed.
    public static let tooLarge = Code("tooLarge")
    /// The server holds newer reports of this installation than this one can make: its state was put back.
    public static let behindServer = Code("behindServer")
    /// The calling task was cancelled. The work it shares with other calls goes on.
    public static let cancelled = Code("cancelled")
  }

  public let code: Code
  /// What happened and what to do.
  public let detail: String
  /// What the server said, when it said something.
  public let problem: ReceivedProblem?
  /// What is wrong with the notification, with a JSON pointer into it; for ``Code/notificationRefused``.
  public let fault: FieldError?
  /// Seconds the server asked to wait.
  public let retryAfter: Double?
  /// The version in force, where the server refused a change that follows no version or another one.
  public var currentVersion: Int? { problem?.current }
  /// Whether the same call may succeed later.
  public let isRetryable: Bool

  public init(
    _ code: Code, _ detail: String, problem: ReceivedProblem? = nil, fault: FieldError? = nil,
    retryAfter: Double? = nil, isRetryable: Bool = false
  ) {
    self.code = code
    self.detail = detail
    self.problem = problem
    self.fault = fault
    self.retryAfter = retryAfter
    self.isRetryable = isRetryable
  }

  public var description: String {
    var text = "\(code): \(detail)"
    if let problem { text += " [\(problem.code)\(problem.requestId.map { ", request \($0)" } ?? "")]" }
    return text
  }
}

extension CarillonError {
  /// Whether the server could not be asked, or could not say: what is to be held is this device's to plan till then.
  var leavesPlanningToDevice: Bool {
    switch code {
    case .stateUnavailable, .outboxFull: false
    // The page of a network that wants a sign-in, as on a train.
    case .unexpectedAnswer: true
    default: isRetryable
    }
  }

  init(_ error: TransportError) {
    switch error.code {
    case .cancelled: self.init(.cancelled, error.detail, isRetryable: true)
    case .tooLarge: self.init(.unexpectedAnswer, error.detail)
    case .configuration:
      self.init(.unreachable, "\(error.detail); check the server's address and certificate")
    case .connection, .timeout: self.init(.unreachable, error.detail, isRetryable: true)
    }
  }

  /// One notification that was refused, here or by the server.
  init(_ item: RejectedItem) {
    let place = item.error.pointer.isEmpty ? "" : " at \(item.error.pointer)"
    self.init(
      .notificationRefused, "\(item.id ?? "a notification")\(place): \(item.error.detail)",
      fault: FieldError(item.error))
  }

  /// - Parameter response: one whose status is not 2xx.
  init(_ response: TransportResponse) {
    let problem = ReceivedProblem(status: response.status, body: response.body)
    let retryAfter = RetryDecider.retryAfter(of: response)
    guard !problem.code.isEmpty else {
      self.init(
        .unexpectedAnswer,
        "status \(response.status) without a problem document; is there a proxy on the way?",
        problem: problem, retryAfter: retryAfter, isRetryable: problem.isRetryable)
      return
    }
    let code: Code =
      switch (response.status, problem.knownCode) {
      case (429, _), (503, _): .busy
      case (_, .policyVersionMismatch?): .conflict
      default: .refused
      }
    self.init(
      code, problem.detail.isEmpty ? problem.title : problem.detail, problem: problem,
      retryAfter: retryAfter, isRetryable: problem.isRetryable)
  }
}
