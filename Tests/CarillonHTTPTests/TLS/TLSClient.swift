import CarillonHTTP
import Foundation
import Glibc
import TestSupport

/// A connection that the `openssl` command makes and keeps: what goes into ``raw`` comes out encrypted at the server,
/// and the other way round.
final class TLSClient {
  let raw: RawClient
  private let process = Program()

  /// - Parameter options: more of `openssl s_client`.
  init(port: UInt16, authority: CertificateMaker, _ options: [String] = []) throws {
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "socketpair failed: errno \(errno)")
    raw = RawClient(descriptor: ends[0])
    let end = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "openssl", "s_client", "-quiet", "-verify_return_error", "-CAfile", authority.authority.certificate,
        "-servername", "localhost", "-connect", "127.0.0.1:\(port)",
      ] + options
    process.standardInput = end
    process.standardOutput = end
    process.standardError = FileHandle.nullDevice
    try process.run()
    try end.close()
  }

  /// Ends the client as a crash would: the system closes its socket.
  func kill() { Glibc.kill(process.processIdentifier, SIGKILL) }

  deinit { if process.isRunning { kill() } }
}

extension TLSCredential {
  convenience init(
    _ files: CertificateMaker.Files, clients: CertificateMaker? = nil, now: Int64 = Int64(time(nil))
  ) throws {
    try self.init(
      Texts(
        certificates: files.certificateText, privateKey: files.keyText,
        clientAuthorities: clients?.authority.certificateText), now: now)
  }
}

/// Opens a server that speaks TLS for the time of `body`.
func withTLSServer<T: Sendable>(
  limit: Int = 1_000_000, asksClients: Bool = false, _ configuration: HTTPServer.Configuration = .patient,
  answer: @escaping Worker.Respond = echo, _ body: (UInt16, Worker, CertificateMaker) async throws -> T
) async throws -> T {
  try await withTemporaryFolder { folder in
    let (maker, credential) = try await onThread {
      let maker = try CertificateMaker(in: folder)
      return (maker, try TLSCredential(maker.issue("server"), clients: asksClients ? maker : nil))
    }
    var configuration = configuration
    configuration.credential = credential
    return try await withServer(limit: limit, configuration, answer: answer) { port, worker in
      try await body(port, worker, maker)
    }
  }
}
