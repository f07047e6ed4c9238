import CarillonAPI
import CarillonHTTP
import CarillonJSON

extension HTTPResponse {
  /// An answer in JSON.
  static func json(_ status: Int, _ body: [UInt8], _ headers: [(name: String, value: String)] = [])
    -> HTTPResponse
  {
    HTTPResponse(status: status, headers: [("Content-Type", "application/json")] + headers, body: body)
  }

  static func json(
    _ status: Int, _ headers: [(name: String, value: String)] = [], _ body: (inout JSONWriter) -> Void
  ) -> HTTPResponse {
    var writer = JSONWriter()
    body(&writer)
    return .json(status, writer.bytes, headers)
  }
}

extension Problem {
  func response(requestID: String) -> HTTPResponse {
    var problem = self
    problem.requestId = requestID
    var response = HTTPResponse(
      status: status,
      headers: [("Content-Type", Problem.contentType), ("X-Request-Id", requestID)] + headers,
      body: problem.json)
    response.closesConnection = code == .malformedRequest || code == .draining
    return response
  }
}
