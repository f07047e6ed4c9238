import CarillonJSON
import Dispatch
import Foundation
import Glibc

/// A plain HTTP client for tests: what is sent is exactly what the test says, also when no library would send it.
public struct HTTPTestClient: Sendable {
  public struct Response: Sendable, CustomStringConvertible {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]

    public func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    public var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
    public var text: String { String(decoding: body, as: UTF8.self) }
    public var description: String { "\(status) \(text)" }
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String

    public init(description: String) { self.description = description }
  }

  public let port: UInt16
  /// Sent with every request as `Authorization: Bearer`.
  public var key: String?

  public init(port: UInt16, key: String? = nil) {
    self.port = port
    self.key = key
  }

  public func send(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: String? = nil
  ) async throws -> Response {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    if let key { head += "Authorization: Bearer \(key)\r\n" }
    if let body {
      if !headers.contains(where: { $0.0.lowercased() == "content-type" }) {
        head += "Content-Type: application/json\r\n"
      }
      head += "Content-Length: \(body.utf8.count)\r\n"
    }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    let answer = try await exchange(Array((head + "\r\n" + (body ?? "")).utf8))
    guard let response = Self.parse(answer) else {
      throw Failure(description: "no HTTP answer: \(String(decoding: answer, as: UTF8.self))")
    }
    return response
  }

  /// Sends bytes as they are and returns all that comes until the server closes.
  public func exchange(_ bytes: [UInt8]) async throws -> [UInt8] {
    let port = port
    return try await withCheckedThrowingContinuation { continuation in
      // A thread for each exchange under way: blocking sockets keep this client free of the code under test.
      DispatchQueue.global().async {
        continuation.resume(with: Result { try Self.blockingExchange(bytes, port: port) })
      }
    }
  }

  private static func blockingExchange(_ bytes: [UInt8], port: UInt16) throws -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(description: "connect: \(String(cString: strerror(errno)))") }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // The server may answer and close before it has read everything.
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      answer += buffer[..<count]
    }
    return answer
  }

  /// The first answer in the bytes of a connection that was closed behind it.
  public static func parse(_ bytes: [UInt8]) -> Response? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, let status = Int(words[1]) else { return nil }
    let headers = lines.dropFirst().map { line -> (name: String, value: String) in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return (String(line[..<colon]), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
    }
    let headLength = text[..<end.upperBound].utf8.count
    return Response(status: status, headers: headers, body: Array(bytes[headLength...]))
  }
}
