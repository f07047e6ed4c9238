import CarillonJSON

/// A problem as a client reads it: from any version of the server, and from proxies that know nothing of us.
public struct ReceivedProblem: Error, Hashable, Sendable {
  public var status: Int
  /// As sent; empty when the answer was not ours.
  public var code = ""
  public var title = ""
  public var detail = ""
  public var instance: String?
  public var errors: [FieldError] = []
  public var requestId: String?
  /// Whether the same request can succeed later.
  public var isRetryable: Bool
  /// The version a conditional request must name.
  public var current: Int?

  /// The code, when this version knows it.
  public var knownCode: ProblemCode? { ProblemCode(rawValue: code) }

  private static let limits = JSONLimits(depth: 32, values: 20_000, bytes: 1 << 20)

  /// - Parameters:
  ///   - status: of the answer; it decides where the body cannot be read.
  ///   - body: the answer's body, of whatever kind.
  public init(status: Int, body: [UInt8]) {
    let read = try? JSONReader.read(body, limits: Self.limits) { (reader) throws(JSONError) in
      try ReceivedProblem(from: &reader, status: status)
    }
    self = read ?? ReceivedProblem(status: status)
    self.status = status
  }

  public init(_ problem: Problem) {
    status = problem.status
    code = problem.code.rawValue
    title = problem.code.title
    detail = problem.detail
    instance = problem.instance
    errors = problem.errors
    requestId = problem.requestId
    isRetryable = problem.code.isRetryable
    current = problem.current
  }

  private init(status: Int) {
    self.status = status
    isRetryable = status == 408 || status == 429 || status >= 500
  }

  /// - Parameter status: what it is where the document does not say.
  init(from reader: inout JSONReader, status: Int = 0) throws(JSONError) {
    var problem = ReceivedProblem(status: status)
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "status": problem.status = try reader.int()
      case "code": problem.code = try reader.string()
      case "title": problem.title = try reader.string()
      case "detail": problem.detail = try reader.string()
      case "instance": problem.instance = try reader.string()
      case "requestId": problem.requestId = try reader.string()
      case "retryable": problem.isRetryable = try reader.bool()
      case "current": problem.current = try reader.int()
      case "errors":
        var errors: [FieldError] = []
        try reader.array { (reader) throws(JSONError) in errors.append(try FieldError(from: &reader)) }
        problem.errors = errors
      default: try reader.skip()
      }
    }
    self = problem
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let knownCode { writer.member("type", knownCode.type) }
      writer.member("title", title)
      writer.member("status", status)
      writer.member("detail", detail)
      if let instance { writer.member("instance", instance) }
      writer.member("code", code)
      writer.list("errors", errors) { $0.write(to: &$1) }
      if let requestId { writer.member("requestId", requestId) }
      writer.member("retryable", isRetryable)
      if let current { writer.member("current", current) }
    }
  }
}
