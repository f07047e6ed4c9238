import CMicroHTTPD
import Glibc

/// Answers what libmicrohttpd refuses before it tells anybody of the request: a Content-Length that is no number.
///
/// Its own answer has the head twice, the second where the body should be (0.9.75 makes it when it finds the fault, and
/// again when it comes to answer). So ours goes out first, past it, and the socket is closed for sending.
extension HTTPServer {
  /// libmicrohttpd has found one, and does not say where: on a connection whose fields are coming in.
  func refuseUnreadableLengths() {
    for connection in connections.values
    where connection.isReadingFields && RequestHead.hasUnreadableLength(connection.handle) {
      connection.isReadingFields = false
      connection.isRefused = true
      connection.sendLast(refused(.malformed(detail: MalformedRequest.unreadableLength.detail)).lastMessage)
    }
  }
}

extension HTTPResponse {
  /// The whole answer of a connection that ends with it.
  fileprivate var lastMessage: [UInt8] {
    var lines = ["HTTP/1.1 \(status) \(String(cString: MHD_get_reason_phrase_for(UInt32(status))))"]
    lines += ["Date: \(Self.dateNow)", "Connection: close"]
    for (name, value) in headers where !Reply.isFraming(name) {
      lines.append("\(name): \(Reply.clean(value))")
    }
    lines.append("Content-Length: \(body.count)")
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }

  /// RFC 9110, section 5.6.7.
  private static var dateNow: String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      let count = strftime(text.baseAddress!, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      return String(decoding: UnsafeRawBufferPointer(start: text.baseAddress, count: count), as: UTF8.self)
    }
  }
}
