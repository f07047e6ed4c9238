import Foundation
import Synchronization
import Testing

/// A few lines of HTTP on a loopback socket, rude on purpose: it is there to be a bad network.
final class RawServer: Sendable {
  private struct State {
    var connections = 0
    var requests: [String] = []
    var open: [Int32] = []
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  var url: URL { URL(string: "http://127.0.0.1:\(port)")! }
  var connections: Int { state.withLock { $0.connections } }
  /// The heads of the requests, in the order they came.
  var requests: [String] { state.withLock { $0.requests } }

  init() throws {
    #if canImport(Darwin)
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #else
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(listener, generic, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, generic, &length) == 0
      }
    }
    try #require(isBound)
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { self.accept() }
  }

  /// Ends every connection.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    state.withLock { state in for file in state.open { shutdown(file, Int32(SHUT_RDWR)) } }
  }

  /// Returns once so many requests have come.
  func arrived(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.requests.count < count { state.waiters.append((count, continuation)) }
        return state.requests.count >= count
      }
      if isThere { continuation.resume() }
    }
  }

  private func accept() {
    while true {
      let file = Foundation.accept(listener, nil, nil)
      guard file >= 0 else { break }
      let number = state.withLock { state in
        state.connections += 1
        state.open.append(file)
        return state.connections
      }
      Thread.detachNewThread { self.serve(file, number) }
    }
    close(listener)
  }

  private func serve(_ file: Int32, _ number: Int) {
    defer {
      state.withLock { $0.open.removeAll { $0 == file } }
      close(file)
    }
    while let request = readRequest(file) {
      let ready = state.withLock { state in
        state.requests.append(request)
        let count = state.requests.count
        defer { state.waiters.removeAll { $0.count <= count } }
        return state.waiters.filter { $0.count <= count }.map(\.continuation)
      }
      for continuation in ready { continuation.resume() }
      let path = request.split(separator: " ").dropFirst().first ?? ""
      switch path {
      case "/silent": continue
      case "/closed": return
      case "/cut":
        send(file, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        return
      case "/redirect":
        send(file, "HTTP/1.1 307 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
      case "/endless":
        send(file, "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        let block = String(repeating: "x", count: 1 << 20)
        for _ in 0..<95 where !send(file, block) { return }
      case "/missing":
        send(file, "HTTP/1.1 404 Not Found\r\nX-Thing: 7\r\nContent-Length: 2\r\n\r\n{}")
      default:
        let body = "connection \(number)"
        send(file, "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
  }

  /// Head and body as text; nil when the client went away.
  private func readRequest(_ file: Int32) -> String? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let head = text[..<end.lowerBound]
        let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let length = field.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        if text[end.upperBound...].utf8.count >= length { return text }
      }
      let count = recv(file, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      bytes += chunk[..<count]
    }
  }

  @discardableResult
  private func send(_ file: Int32, _ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
        let flags: Int32 = 0
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      let count = rest.withUnsafeBytes { Foundation.send(file, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
