import Foundation
import CarillonStore
import Glibc
import IntegrationSupport
import TestSupport

/// The program in a process of its own, so that its memory is its own.
struct AttackedServer: Sendable {
  let process: ProgramTests.Running
  let port: UInt16

  /// Runs `body` with a server of one loop that has answered before.
  static func with<R>(
    _ body: (AttackedServer) async throws -> R
  ) async throws -> R {
    let database = try await MigratedDatabase.make()
    let process = try ProgramTests.Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "1"],
      environment: ["DATABASE_URL": database.conninfo(.app)])
    guard await process.read(until: "ready"), let port = process.port("port") else {
      throw HTTPTestClient.Failure(description: "\(process.lines)")
    }
    let server = AttackedServer(process: process, port: port)
    for _ in 0..<20 { try await server.answers() }
    let result: Result<R, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    process.process.terminate()
    _ = await process.readToEnd()
    return try result.get()
  }

  /// Somebody who does no harm is served, if not at once.
  func answers() async throws {
    let client = HTTPTestClient(port: port)
    while case let answer = try await client.send("GET", "/openapi.json"), answer.status != 200 {
      guard answer.status == 503, answer.header("Retry-After") == "1" else {
        throw HTTPTestClient.Failure(description: "\(answer)")
      }
    }
  }

  /// The most memory it ever held, in MiB.
  var peak: Int {
    get throws {
      let status = try String(
        contentsOfFile: "/proc/\(process.process.processIdentifier)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      guard let kib = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
        throw HTTPTestClient.Failure(description: status)
      }
      return kib / 1_024
    }
  }
}

/// A blocking socket of somebody who means no good.
final class HostileSocket {
  let descriptor: Int32

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    // A server that takes nothing more is not waited for: what was sent was sent.
    var limit = timeval(tv_sec: 0, tv_usec: 200_000)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw HTTPTestClient.Failure(description: "connect: errno \(errno)") }
  }

  deinit { close(descriptor) }

  /// Sends as much as the server takes; false when it took no more.
  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }
}

/// Runs blocking code away from the pool that tests share.
func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}
