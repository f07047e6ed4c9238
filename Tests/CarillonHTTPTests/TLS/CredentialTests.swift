import CarillonHTTP
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct CredentialTests {
  private func withMaker(_ body: (CertificateMaker) throws -> Void) async throws {
    try await withTemporaryFolder { folder in try body(try CertificateMaker(in: folder)) }
  }

  @Test func `a pair and its end`() async throws {
    try await withMaker { maker in
      let credential = try TLSCredential(maker.issue("server", days: 10))
      #expect(abs(credential.expiresAt - Int64(time(nil)) - 10 * 86_400) < 600)
      #expect(!credential.asksClients)
    }
  }

  @Test func `a certificate counts from its first second to its last`() async throws {
    try await withMaker { maker in
      let files = try maker.issue("server")
      let end = try TLSCredential(files).expiresAt
      #expect(throws: TLSCredentialError.expired(at: end)) { try TLSCredential(files, now: end) }
      _ = try TLSCredential(files, now: end - 1)
      let beginning = end - 30 * 86_400
      #expect(throws: TLSCredentialError.notYetValid(from: beginning)) {
        try TLSCredential(files, now: beginning - 1)
      }
      _ = try TLSCredential(files, now: beginning)
      #expect(throws: TLSCredentialError.self) { try TLSCredential(maker.issue("old", days: -1)) }
    }
  }

  @Test func `a key must be the certificate's own`() async throws {
    try await withMaker { maker in
      var files = try maker.issue("server")
      files.key = try maker.issue("other").key
      #expect(throws: TLSCredentialError.keyOfAnotherCertificate) { try TLSCredential(files) }
    }
  }

  /// A file is seen while it is written: at no length may a part of a certificate or key pass for the whole. What is
  /// missing of the line behind it, or of the line before the next one, is missed by nobody.
  @Test func `what is cut off is refused`() async throws {
    try await withMaker { maker in
      let files = try maker.issue("server")
      let whole = TLSCredential.Texts(
        certificates: files.certificateText + maker.authority.certificateText, privateKey: files.keyText)
      _ = try TLSCredential(whole, now: Int64(time(nil)))
      for length in 0..<whole.certificates.count where isCut(whole.certificates, at: length) {
        var texts = whole
        texts.certificates = Array(whole.certificates.prefix(length))
        #expect(throws: TLSCredentialError.self, "certificates, \(length) bytes") {
          try TLSCredential(texts, now: Int64(time(nil)))
        }
      }
      for length in 0..<whole.privateKey.count where isCut(whole.privateKey, at: length) {
        var texts = whole
        texts.privateKey = Array(whole.privateKey.prefix(length))
        #expect(throws: TLSCredentialError.self, "key, \(length) bytes") {
          try TLSCredential(texts, now: Int64(time(nil)))
        }
      }
    }
  }

  /// Whether a prefix ends before the first section's contents do, or within those of another.
  private func isCut(_ text: [UInt8], at length: Int) -> Bool {
    var start = 0
    for section in String(decoding: text, as: UTF8.self).components(separatedBy: "-----BEGIN ").dropFirst() {
      let header = section.prefix { $0 != "\n" }.utf8.count + "-----BEGIN \n".utf8.count
      let contents = section.components(separatedBy: "\n-----END")[0].utf8.count + "-----BEGIN ".utf8.count
      if length < start + contents, start == 0 || length > start + header { return true }
      start += section.utf8.count + "-----BEGIN ".utf8.count
    }
    return false
  }

  @Test func `what is no credential is told apart`() async throws {
    try await withMaker { maker in
      let files = try maker.issue("server")
      let good = TLSCredential.Texts(certificates: files.certificateText, privateKey: files.keyText)
      let now = Int64(time(nil))
      var texts = good
      texts.certificates = good.privateKey
      #expect { try TLSCredential(texts, now: now) } throws: {
        if case TLSCredentialError.certificatesUnreadable = $0 { true } else { false }
      }
      texts = good
      texts.certificates = maker.authority.certificateText + files.certificateText
      #expect(throws: TLSCredentialError.self, "out of order") { try TLSCredential(texts, now: now) }
      texts = good
      texts.privateKey = good.certificates
      #expect { try TLSCredential(texts, now: now) } throws: {
        if case TLSCredentialError.privateKeyUnreadable = $0 { true } else { false }
      }
      for authorities in [[], Array("nothing".utf8), good.privateKey] {
        texts = good
        texts.clientAuthorities = authorities
        #expect { try TLSCredential(texts, now: now) } throws: {
          if case TLSCredentialError.authoritiesUnreadable = $0 { true } else { false }
        }
      }
      let locked = files.key + ".locked"
      let (status, text) = try runProgram(
        "openssl", ["pkcs8", "-topk8", "-in", files.key, "-out", locked, "-passout", "pass:secret"],
        in: maker.folder)
      try #require(status == 0, "\(text)")
      texts = good
      var lockedFiles = files
      lockedFiles.key = locked
      texts.privateKey = lockedFiles.keyText
      #expect { try TLSCredential(texts, now: now) } throws: {
        if case TLSCredentialError.privateKeyUnreadable = $0 { true } else { false }
      }
    }
  }
}
