/// HTTP/1.1 requests as a load sends them.
enum RequestWriter {
  /// - Parameter parts: of the JSON body, one after the other.
  static func post(_ target: String, key: String, _ parts: [[UInt8]], into buffer: inout [UInt8]) {
    buffer +=
      """
      POST \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(key)\r\n\
      Content-Type: application/json\r\nContent-Length: \(parts.reduce(0) { $0 + $1.count })\r\n\r\n
      """.utf8
    for part in parts { buffer += part }
  }

  static func get(_ target: String, key: String, fields: [String] = [], into buffer: inout [UInt8]) {
    buffer += "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(key)\r\n".utf8
    for field in fields { buffer += "\(field)\r\n".utf8 }
    buffer += "\r\n".utf8
  }
}
