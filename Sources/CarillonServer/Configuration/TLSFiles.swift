import CarillonCrypto
import CarillonHTTP
import CarillonModel
import Glibc

/// The files of the public listener's TLS. None of them: plain HTTP, which is for a proxy in front.
public struct TLSFiles: Sendable, Hashable {
  /// PEM: the server's certificate, then each by whom the one before is issued.
  public var certificate: String?
  /// PEM, not encrypted, readable for its owner alone.
  public var key: String?
  /// PEM: who issues the certificates of clients. With it a client without one is refused.
  public var clientAuthority: String?

  public init() {}

  /// A longer file is no certificate of anybody's.
  static let byteLimit = 256 * 1024

  /// Reads and checks all files; nil when there are none.
  func credential(at now: Instant) throws(TLSFilesError) -> TLSCredential? {
    guard let certificate, let key else {
      guard certificate == nil, key == nil, clientAuthority == nil else { throw .incomplete }
      return nil
    }
    let texts = TLSCredential.Texts(
      certificates: try Self.read(certificate), privateKey: try Self.readSecret(key),
      clientAuthorities: try clientAuthority.map { path throws(TLSFilesError) in try Self.read(path) })
    do {
      return try TLSCredential(texts, now: now.seconds)
    } catch {
      throw .unusable(files: self, error)
    }
  }

  private static func readSecret(_ path: String) throws(TLSFilesError) -> [UInt8] {
    do {
      return Array(try SecretFile.read(path, maximumBytes: byteLimit).utf8)
    } catch {
      throw .key(error)
    }
  }

  private static func read(_ path: String) throws(TLSFilesError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, errno: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count <= byteLimit {
      let count = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { part in
        let count = Glibc.read(descriptor, part.baseAddress, part.count)
        bytes.append(contentsOf: part.prefix(max(0, count)))
        return count
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(path: path, errno: errno) }
      if count == 0 { return bytes }
    }
    throw .tooLong(path: path)
  }
}

/// Why the files of TLS are not used.
public enum TLSFilesError: Error, Hashable, Sendable, CustomStringConvertible {
  case incomplete
  case unreadable(path: String, errno: Int32)
  case tooLong(path: String)
  /// The key cannot be read, or others than the owner may read it.
  case key(SecretFileError)
  case unusable(files: TLSFiles, TLSCredentialError)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .incomplete:
      "TLS needs a certificate and its key. Set both --tls-certificate and --tls-key, or neither."
    case .unreadable(let path, let number):
      "'\(path)' cannot be read (\(String(cString: strerror(number)))). Name a file that the server's user may read."
    case .tooLong(let path): "'\(path)' is too long for a certificate or key. Name a PEM file."
    case .key(let error): "\(error.summary) \(error.remedy)"
    case .unusable(let files, let error): Self.describe(error, files)
    }
  }

  private static func describe(_ error: TLSCredentialError, _ files: TLSFiles) -> String {
    let certificate = files.certificate ?? ""
    let key = files.key ?? ""
    return switch error {
    case .certificatesUnreadable(let reason):
      "'\(certificate)' is no certificate with its chain (\(reason)). "
        + "Give it in PEM: the server's own first, then each by whom the one before is issued."
    case .privateKeyUnreadable(let reason):
      "'\(key)' is no private key (\(reason)). Give it in PEM, not encrypted."
    case .authoritiesUnreadable(let reason):
      "'\(files.clientAuthority ?? "")' holds no authority (\(reason)). Give its certificate in PEM."
    case .keyOfAnotherCertificate:
      "The key in '\(key)' is not that of the certificate in '\(certificate)'. Give the pair that was made together."
    case .expired(let seconds):
      "The certificate in '\(certificate)' has expired at \(Instant(seconds: seconds)). Renew it."
    case .notYetValid(let seconds):
      "The certificate in '\(certificate)' is not valid before \(Instant(seconds: seconds)). Check the clock."
    case .failed(let reason): "GnuTLS could not take the certificate (\(reason)). Look at the files."
    }
  }
}
