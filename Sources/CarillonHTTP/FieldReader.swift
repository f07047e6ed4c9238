import CMicroHTTPD

/// Copies the header fields of a request out of libmicrohttpd, and watches the few that frame it.
///
/// libmicrohttpd leaves the header block in place and cuts it with zeros. So each field must begin exactly two
/// bytes (a former CR LF) after the last one ended, and the block must end two bytes after the last line. A
/// folded line (obs-fold), a bare LF and a NUL inside a line all break that tiling, and only so can be seen.
struct FieldReader {
  var headers = HTTPHeaders()
  var fault: String?
  var hosts = 0
  var isHostValid = false
  var lengths = 0
  /// Nil when it is not a number; zero without the header.
  var length: Int? = 0
  var codings = 0
  var isChunked = false
  private var credentials = 0
  private var contentTypes = 0
  /// Where the next field has to begin.
  private var next: UnsafeRawPointer

  /// - Parameters:
  ///   - start: where the header block begins: its first word, the method.
  ///   - lines: where the first line after the request line has to begin.
  static func read(
    _ connection: OpaquePointer, start: UnsafeRawPointer, lines: UnsafeRawPointer
  ) -> FieldReader {
    var reader = FieldReader(next: lines)
    let size = cmhd_header_size(connection)
    reader.headers.reserve(bytes: size)
    _ = withUnsafeMutablePointer(to: &reader) { reader in
      MHD_get_connection_values_n(
        connection, .HEADER_KIND,
        { context, _, name, nameSize, value, valueSize in
          context!.assumingMemoryBound(to: FieldReader.self).pointee.visit(
            UnsafeRawBufferPointer(start: name, count: nameSize),
            UnsafeRawBufferPointer(start: value, count: valueSize))
          return .YES
        }, reader)
    }
    if reader.fault == nil, start + size != reader.next + 2 { reader.fault = broken }
    return reader
  }

  private init(next: UnsafeRawPointer) { self.next = next }

  private static let broken = "a header line is folded, or not ended by CR LF"

  private mutating func visit(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    // A header without any value has a value of no bytes, never none.
    guard fault == nil, let nameStart = name.baseAddress, let valueStart = value.baseAddress else { return }
    let gap = valueStart - (nameStart + name.count)
    guard gap > 0, gap <= Int(UInt16.max), next == nameStart,
      UnsafeRawBufferPointer(start: nameStart + name.count + 1, count: gap - 1).allSatisfy(ASCII.isSpace)
    else {
      fault = Self.broken
      return
    }
    next = valueStart + value.count + 2
    guard !name.isEmpty, name.allSatisfy(ASCII.isToken) else {
      fault = "a header name is not a token"
      return
    }
    guard value.allSatisfy(ASCII.isFieldValue) else {
      fault = "a header value holds a control character"
      return
    }
    headers.add(name, trimmed(value))
    // Untrimmed: "chunked" with a space behind it is another word for libmicrohttpd.
    frame(name, value)
  }

  private mutating func frame(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    switch name.count {
    case 4 where equals(name, "host"):
      hosts += 1
      let host = trimmed(value)
      isHostValid = !host.isEmpty && host.allSatisfy(ASCII.isHost)
    case 12 where equals(name, "content-type"):
      contentTypes += 1
      if contentTypes > 1 { fault = "there is more than one Content-Type header" }
    case 13 where equals(name, "authorization"):
      // Whom a proxy takes the request for must be whom we do.
      credentials += 1
      if credentials > 1 { fault = "there is more than one Authorization header" }
    case 14 where equals(name, "content-length"):
      lengths += 1
      length = Self.number(value)
    case 17 where equals(name, "transfer-encoding"):
      codings += 1
      isChunked = equals(value, "chunked")
    default: break
    }
  }

  private func equals(_ bytes: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
    guard bytes.count == lowercase.utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count where ASCII.lowercase(bytes[index]) != lowercase.utf8Start[index] {
      return false
    }
    return true
  }

  /// Nil when it is not digits alone, or beyond every body.
  static func number(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard (1...18).contains(bytes.count), bytes.allSatisfy(ASCII.isDigit) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private func trimmed(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var value = value[...]
    while let last = value.last, ASCII.isSpace(last) { value.removeLast() }
    return UnsafeRawBufferPointer(rebasing: value)
  }
}
