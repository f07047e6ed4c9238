import Glibc
import IntegrationSupport
import Testing

/// What clients cannot make the server hold. Each figure is for one loop, over what the server holds when it is left
/// alone.
@Suite(.serialized) struct MemoryTests {
  /// MiB. Bodies: `heldBytesLimit`, in buffers that may be twice as large as what is in them.
  private static let bodies = 320
  /// 10,000 connections with next to nothing on each.
  private static let connections = 160

  /// Nothing that a client sends costs a credential here: this one is none, but has the form of one.
  private static let key = "ck_aaaaaaaaaaaa_" + String(repeating: "a", count: 52)

  private func expectBounded(
    _ most: Int, _ attack: @escaping @Sendable (UInt16) throws -> [HostileSocketBox]
  ) async throws {
    try await AttackedServer.with { server in
      let before = try server.peak
      let sockets = try await blocking { try attack(server.port) }
      try await server.answers()
      let grown = try server.peak - before
      #expect(grown <= most, "\(grown) MiB for \(sockets.count) connections")
      print("memory: \(grown) MiB more for \(sockets.count) connections, \(before) MiB before")
    }
  }

  @Test(.enabled(if: canOpen(10_500), "needs a limit of 10,500 open files"))
  func idleConnections() async throws {
    try await expectBounded(Self.connections) { port in
      try (0..<10_000).map { _ in HostileSocketBox(try HostileSocket(port: port)) }
    }
  }

  @Test func headersWithoutEnd() async throws {
    try await expectBounded(Self.connections) { port in
      try (0..<2_000).map { _ in
        let socket = try HostileSocket(port: port)
        socket.send("GET / HTTP/1.1\r\nHost: a\r\n")
        for index in 0..<60 {
          guard socket.send("X-\(index): \(String(repeating: "x", count: 500))\r\n") else { break }
        }
        return HostileSocketBox(socket)
      }
    }
  }

  /// Batches may have 8 MiB; together they may not.
  @Test func bodiesThatNeverEnd() async throws {
    let part = [UInt8](repeating: 0x20, count: 1 << 20)
    try await expectBounded(Self.bodies) { port in
      try (0..<96).map { _ in
        let socket = try HostileSocket(port: port)
        socket.send(
          "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Self.key)\r\nContent-Type: application/json\r\nContent-Length: 8388608\r\n\r\n"
        )
        for _ in 0..<7 { guard socket.send(part) else { break } }
        return HostileSocketBox(socket)
      }
    }
  }

  @Test func chunksWithoutEnd() async throws {
    let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 65_536) + Array("\r\n".utf8)
    try await expectBounded(Self.bodies) { port in
      try (0..<32).map { _ in
        let socket = try HostileSocket(port: port)
        socket.send(
          "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Self.key)\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for _ in 0..<400 { guard socket.send(chunk) else { break } }
        return HostileSocketBox(socket)
      }
    }
  }

  /// Many requests in one go, and not one answer read.
  @Test func pipelinesOfWhichNothingIsRead() async throws {
    let requests = Array(
      String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", count: 500).utf8)
    try await expectBounded(Self.bodies) { port in
      try (0..<1_000).map { _ in
        let socket = try HostileSocket(port: port)
        socket.send(requests)
        return HostileSocketBox(socket)
      }
    }
  }
}

/// Keeps a socket open.
struct HostileSocketBox: @unchecked Sendable {
  // Unchecked: made on one thread, let go of on another, used on none in between.
  let socket: HostileSocket
  init(_ socket: HostileSocket) { self.socket = socket }
}

/// Raises this process's limit of open files as far as it may go.
private func canOpen(_ count: UInt) -> Bool {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
  if limit.rlim_cur < count {
    limit.rlim_cur = min(limit.rlim_max, count)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
  return limit.rlim_cur >= count
}
