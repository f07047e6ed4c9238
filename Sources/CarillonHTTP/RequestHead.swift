import CMicroHTTPD
import Glibc

/// What precedes a body, read from libmicrohttpd and checked.
///
/// libmicrohttpd parses in place and lets much through that another server on the way may read differently
/// (RFC 9112, section 11.2). Whatever is ambiguous is refused here, so that both can only agree.
struct RequestHead {
  var method = ""
  var path = ""
  var query: String?
  var headers = HTTPHeaders()
  /// Nil when the body is chunked, which no server here reads: how libmicrohttpd finds the end of one is not as strict
  /// as other servers on the way may be.
  var contentLength: Int? = 0

  var hasBody: Bool { contentLength != 0 }
  /// Without its body.
  var request: HTTPRequest { HTTPRequest(method: method, path: path, query: query, headers: headers) }

  init(
    connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, target: [UInt8]
  ) throws(MalformedRequest) {
    let isVersion11 = try Self.isVersion11(version)
    self.method = try Self.method(method)
    // The request line is its three words, one space between them, and CR LF: nothing may hide there.
    guard UnsafeRawPointer(version) - UnsafeRawPointer(method) == self.method.utf8.count + target.count + 2
    else { throw MalformedRequest("the request line is not method, target and version") }
    (path, query) = try Self.split(target)
    let lines = UnsafeRawPointer(version) + "HTTP/1.1".utf8.count + 2
    let fields = FieldReader.read(connection, start: method, lines: lines)
    if let fault = fields.fault { throw MalformedRequest(fault) }
    try Self.checkHost(fields, isRequired: isVersion11)
    contentLength = try Self.length(fields, allowsChunked: isVersion11)
    headers = fields.headers
  }

  private static func isVersion11(_ version: UnsafePointer<CChar>) throws(MalformedRequest) -> Bool {
    switch String(cString: version) {
    case "HTTP/1.1": return true
    case "HTTP/1.0": return false
    default: throw MalformedRequest("the version must be HTTP/1.1 or HTTP/1.0")
    }
  }

  private static func method(_ method: UnsafePointer<CChar>) throws(MalformedRequest) -> String {
    let method = String(cString: method)
    guard !method.isEmpty, method.utf8.allSatisfy(ASCII.isToken) else {
      throw MalformedRequest("the method is not a token")
    }
    return method
  }

  /// Splits the target at the first `?`; of the absolute form only what follows the authority counts.
  private static func split(_ target: [UInt8]) throws(MalformedRequest) -> (String, String?) {
    guard target.allSatisfy(ASCII.isTarget) else {
      throw MalformedRequest("the target holds a character that must be percent-encoded")
    }
    let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    let query = end < target.endIndex ? String(decoding: target[(end + 1)...], as: UTF8.self) : nil
    var path = target[..<end]
    if path.first != UInt8(ascii: "/") {
      if path.elementsEqual("*".utf8) { return ("*", query) }
      path = try originForm(path)
    }
    return (path.isEmpty ? "/" : String(decoding: path, as: UTF8.self), query)
  }

  private static func originForm(_ target: ArraySlice<UInt8>) throws(MalformedRequest) -> ArraySlice<UInt8> {
    for scheme in ["http://", "https://"] {
      let prefix = target.prefix(scheme.utf8.count)
      guard prefix.lazy.map(ASCII.lowercase).elementsEqual(scheme.utf8) else { continue }
      let rest = target.dropFirst(scheme.utf8.count)
      let authority = rest.prefix { $0 != UInt8(ascii: "/") }
      guard !authority.isEmpty, authority.allSatisfy(ASCII.isHost) else { break }
      return rest[authority.endIndex...]
    }
    throw MalformedRequest("the target must be a path")
  }

  private static func checkHost(_ fields: FieldReader, isRequired: Bool) throws(MalformedRequest) {
    guard fields.hosts == 1 || (fields.hosts == 0 && !isRequired) else {
      throw MalformedRequest("exactly one Host header is required")
    }
    guard fields.hosts == 0 || fields.isHostValid else {
      throw MalformedRequest("the Host header is not a host and port")
    }
  }

  /// Whether there is a Content-Length that libmicrohttpd cannot have understood.
  static func hasUnreadableLength(_ connection: OpaquePointer) -> Bool {
    guard let value = MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length") else {
      return false
    }
    return FieldReader.number(UnsafeRawBufferPointer(start: value, count: strlen(value))) == nil
  }

  private static func length(_ fields: FieldReader, allowsChunked: Bool) throws(MalformedRequest) -> Int? {
    guard fields.lengths <= 1 else { throw MalformedRequest("there is more than one Content-Length header") }
    guard fields.codings > 0 else {
      guard let length = fields.length else {
        throw MalformedRequest.unreadableLength
      }
      return length
    }
    guard fields.lengths == 0 else {
      throw MalformedRequest("Content-Length and Transfer-Encoding exclude each other")
    }
    guard allowsChunked, fields.codings == 1, fields.isChunked else {
      throw MalformedRequest("the only transfer coding is chunked, in HTTP/1.1")
    }
    return nil
  }
}

/// Why a request cannot be understood in one way only.
struct MalformedRequest: Error {
  let detail: String
  init(_ detail: String) { self.detail = detail }
  static let unreadableLength = MalformedRequest("the Content-Length header is not a number of bytes")
}
