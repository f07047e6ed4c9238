import CarillonHTTP
import TestSupport
import Testing

/// Mutual TLS: who has no certificate of ours gets no answer, and no request of theirs is read.
@Suite struct ClientCertificateTests {
  @Test(arguments: ["1.2", "1.3"])
  func `a client of the authority gets in`(_ version: String) async throws {
    try await withTLSServer(asksClients: true) { port, _, maker in
      let (status, text) = try await onThread {
        let client = try maker.issue("client", for: .clientAuth)
        return try curl(
          port, maker, ["--cert", client.certificate, "--key", client.key, "--tls-max", version])
      }
      #expect(status == 0 && text.contains("GET /hello -"), "\(text)")
    }
  }

  enum Stranger: CaseIterable {
    case withoutCertificate, ofAnotherAuthority, expired, madeForServers, selfSigned

    func files(_ maker: CertificateMaker) throws -> CertificateMaker.Files? {
      switch self {
      case .withoutCertificate: nil
      case .ofAnotherAuthority:
        try CertificateMaker(in: maker.folder, name: "another").issue("stranger", for: .clientAuth)
      case .expired: try maker.issue("expired", for: .clientAuth, days: -1)
      case .madeForServers: try maker.issue("wrong")
      case .selfSigned: try CertificateMaker(in: maker.folder, name: "alone").authority
      }
    }
  }

  @Test(arguments: Stranger.allCases, ["1.2", "1.3"])
  func `a stranger is refused before its request is read`(_ stranger: Stranger, _ version: String)
    async throws
  {
    try await withTLSServer(asksClients: true) { port, worker, maker in
      let (status, text) = try await onThread {
        let own = try stranger.files(maker).map { ["--cert", $0.certificate, "--key", $0.key] } ?? []
        return try curl(port, maker, ["--tls-max", version] + own)
      }
      #expect(status != 0, "\(text)")
      #expect(await worker.requests.isEmpty)
      #expect(await worker.inFlight == 0)
    }
  }

  @Test func `a ticket does not outlive the certificate that earned it`() async throws {
    try await withTLSServer(asksClients: true) { port, _, maker in
      let (_, text) = try await onThread {
        let client = try maker.issue("client", for: .clientAuth)
        return try handshake(port, maker, ["-tls1_2", "-cert", client.certificate, "-key", client.key])
      }
      #expect(text.contains("Verify return code: 0"), "\(text)")
      #expect(!text.contains("session ticket"), "\(text)")
    }
  }
}
