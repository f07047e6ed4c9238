import Glibc

/// Connections that have had an answer and ask for nothing more; closed with the last use.
final class IdleConnections {
  private var descriptors: [Int32] = []

  init(_ count: Int, port: UInt16) throws(LoadFailure) {
    let request = Array("GET /v1/policy HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    var answer = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<count {
      let descriptor = try LoadConnection.connect(to: port)
      descriptors.append(descriptor)
      guard write(descriptor, request, request.count) == request.count else {
        throw LoadFailure(detail: "an idle connection could not send its request")
      }
      // One short answer: it comes in one piece.
      guard read(descriptor, &answer, answer.count) > 0 else {
        throw LoadFailure(detail: "an idle connection was closed after \(descriptors.count)")
      }
    }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
