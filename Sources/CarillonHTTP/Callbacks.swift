import CMicroHTTPD
import Glibc

/// libmicrohttpd's callbacks: plain C functions that find the server and the connection, and hand over.
enum Callbacks {
  static func configuration(
    for configuration: HTTPServer.Configuration, listener: Int32, _ context: UnsafeMutableRawPointer
  ) -> cmhd_configuration {
    cmhd_configuration(
      context: context, listener: listener,
      connection_limit: UInt32(clamping: configuration.connectionLimit),
      idle_seconds: UInt32(clamping: max(1, configuration.idleTimeout.components.seconds)),
      memory_limit: configuration.headerBytesLimit, access: access, completed: completed,
      connection: connection, target: target, unescape: unescape, unreadable_length: unreadableLength,
      tls_priorities: configuration.credential == nil ? nil : priorities)
  }

  private static var priorities: UnsafePointer<CChar> {
    UnsafeRawPointer(TLSSession.priorities.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private static let access: MHD_AccessHandlerCallback = {
    context, handle, _, method, version, upload, size, _ in
    let server = server(context)
    guard let connection = Callbacks.connection(of: handle), let method, let version, let size else {
      return .NO
    }
    if connection.phase == .idle { return server.begin(connection, method: method, version: version) }
    guard size.pointee > 0 else { return server.dispatch(connection) }
    let bytes = UnsafeRawBufferPointer(start: upload, count: size.pointee)
    size.pointee = 0
    return server.receive(bytes, of: connection)
  }

  private static let completed: MHD_RequestCompletedCallback = { context, handle, _, _ in
    guard let connection = Callbacks.connection(of: handle) else { return }
    server(context).complete(connection)
  }

  /// A connection begins or ends. The server's table owns the object; libmicrohttpd carries a bare pointer.
  private static let connection: MHD_NotifyConnectionCallback = { context, handle, slot, event in
    guard let handle, let slot else { return }
    if event.rawValue == cmhd_connection_started {
      let server = server(context)
      let connection = Connection(handle: handle, sweep: server.sweepNumber)
      slot.pointee = Unmanaged.passUnretained(connection).toOpaque()
      server.opened(connection)
    } else if let connection = Callbacks.connection(of: handle) {
      slot.pointee = nil
      server(context).ended(connection)
    }
  }

  /// The target as sent, before libmicrohttpd cuts and decodes it.
  private static let target:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
      UnsafeMutableRawPointer? =
      { _, target, handle in
        guard let target, let connection = Callbacks.connection(of: handle) else { return nil }
        connection.isReadingFields = true
        connection.target.removeAll(keepingCapacity: true)
        connection.target.append(contentsOf: UnsafeRawBufferPointer(start: target, count: strlen(target)))
        return nil
      }

  private static let unreadableLength: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    server(context).refuseUnreadableLengths()
  }

  /// Nothing is decoded: paths and queries are handed over as sent.
  private static let unescape:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
      _, _, text in text.map { strlen($0) } ?? 0
    }

  private static func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
    Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
  }

  private static func connection(of handle: OpaquePointer?) -> Connection? {
    guard let handle, let slot = cmhd_socket_context(handle) else { return nil }
    return Unmanaged<Connection>.fromOpaque(slot).takeUnretainedValue()
  }
}
