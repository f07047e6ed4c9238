import CMicroHTTPD

/// Makes a response of libmicrohttpd out of one of ours.
enum Reply {
  /// Queues `response`. The connection holds the body until libmicrohttpd has let go of it, so that its bytes
  /// are never copied.
  static func queue(_ response: consuming HTTPResponse, closing: Bool, on connection: Connection)
    -> MHD_Result
  {
    precondition((200...599).contains(response.status), "\(response.status) is not a final status")
    let handle = make(response, owner: connection)
    for (name, value) in response.headers { add(name, value, to: handle) }
    if closing || response.closesConnection { MHD_add_response_header(handle, "Connection", "close") }
    let result = MHD_queue_response(connection.handle, UInt32(response.status), handle)
    MHD_destroy_response(handle)
    return result
  }

  private static func make(_ response: HTTPResponse, owner: Connection) -> OpaquePointer {
    // A 304 goes out with a length of 0, which clients ignore (RFC 9112, section 6.3); libmicrohttpd would send
    // one of unknown length in chunks, with a body.
    guard !response.body.isEmpty, response.status != 204, response.status != 304 else {
      return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
    }
    precondition(owner.responseBody.isEmpty, "the last answer's body is still being sent")
    owner.responseBody = response.body
    // An array's storage stays where it is while the array is held and not written; the owner does both.
    return owner.responseBody.withUnsafeBytes { body in
      MHD_create_response_from_buffer_with_free_callback_cls(
        body.count, UnsafeMutableRawPointer(mutating: body.baseAddress!),
        { Unmanaged<Connection>.fromOpaque($0!).takeRetainedValue().responseBody = [] },
        Unmanaged.passRetained(owner).toOpaque())
    }
  }

  private static func add(_ name: String, _ value: String, to handle: OpaquePointer) {
    precondition(!name.isEmpty && name.utf8.allSatisfy(ASCII.isToken), "\(name) is not a header name")
    if isFraming(name) { return }
    MHD_add_response_header(handle, name, clean(value))
  }

  /// A value that cannot end its line.
  static func clean(_ value: String) -> String {
    value.utf8.allSatisfy(ASCII.isFieldValue)
      ? value : String(decoding: value.utf8.map { ASCII.isFieldValue($0) ? $0 : 0x20 }, as: UTF8.self)
  }

  /// The headers that frame a message are the server's own.
  static func isFraming(_ name: String) -> Bool {
    switch name.utf8.count {
    case 4: name.lowercased() == "date"
    case 10: name.lowercased() == "connection" || name.lowercased() == "keep-alive"
    case 14: name.lowercased() == "content-length"
    case 17: name.lowercased() == "transfer-encoding"
    default: false
    }
  }
}
