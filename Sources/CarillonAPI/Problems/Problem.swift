import CarillonJSON

/// One thing that is wrong in a document.
public struct FieldError: Hashable, Sendable {
  /// Where, as RFC 6901 writes it; empty for the whole document.
  public var pointer: String
  /// A stable word, listed in `docs/errors.md`.
  public var code: String
  /// A sentence: what is wrong and what would be right.
  public var detail: String

  public init(pointer: String, code: String, detail: String) {
    self.pointer = pointer
    self.code = code
    self.detail = detail
  }
}

/// A field of an answer.
public struct ProblemHeader: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// An error of the wire: `application/problem+json` (RFC 9457) with our members.
///
/// Safe to send as it is: it speaks of the request alone, never of SQL, stacks or other tenants.
public struct Problem: Error, Hashable, Sendable {
  public static let contentType = "application/problem+json"

  public var code: ProblemCode
  /// What is wrong with this request and what to do about it.
  public var detail: String
  /// The path of the request.
  public var instance: String?
  /// Each thing that is wrong in the body.
  public var errors: [FieldError]
  public var requestId: String?
  /// The version a conditional request must name: of 412 and 428.
  public var current: Int?
  /// The methods the path has: of 405. Sent as `Allow`.
  public var allow: [String] = []
  /// Seconds. Sent as `Retry-After`.
  public var retryAfter: Int?

  /// What else the answer tells of the rate.
  public var rate: [ProblemHeader] = []

  public init(
    _ code: ProblemCode, _ detail: String, errors: [FieldError] = [], current: Int? = nil,
    retryAfter: Int? = nil
  ) {
    self.code = code
    self.detail = detail
    self.errors = errors
    self.current = current
    self.retryAfter = retryAfter
  }

  public var status: Int { code.status }

  /// The fields that belong to the answer besides `Content-Type`.
  public var headers: [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    if !allow.isEmpty { headers.append(("Allow", allow.joined(separator: ", "))) }
    if let retryAfter { headers.append(("Retry-After", String(retryAfter))) }
    for header in rate { headers.append((header.name, header.value)) }
    // RFC 6750 section 3.1: who sent no credential is told of no error.
    if status == 401 {
      headers.append(
        ("WWW-Authenticate", code == .unauthenticated ? "Bearer" : "Bearer error=\"invalid_token\""))
    }
    return headers
  }

  public func write(to writer: inout JSONWriter) { ReceivedProblem(self).write(to: &writer) }

  public var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }
}

extension FieldError {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("pointer", pointer)
      writer.member("code", code)
      writer.member("detail", detail)
    }
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var value = FieldError(pointer: "", code: "", detail: "")
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "pointer": value.pointer = try reader.string()
      case "code": value.code = try reader.string()
      case "detail": value.detail = try reader.string()
      default: try reader.skip()
      }
    }
    self = value
  }
}
