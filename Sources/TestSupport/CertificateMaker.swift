import Foundation

/// An authority of its own for one test, and the certificates it issues: all made by the `openssl` command, in a folder
/// that the test removes.
public struct CertificateMaker: Sendable {
  /// The files of one certificate.
  public struct Files: Sendable {
    public var certificate: String
    public var key: String

    public var certificateText: [UInt8] {
      Array((try? Data(contentsOf: URL(fileURLWithPath: certificate))) ?? Data())
    }
    public var keyText: [UInt8] { Array((try? Data(contentsOf: URL(fileURLWithPath: key))) ?? Data()) }
  }

  public enum Purpose: String, Sendable { case serverAuth, clientAuth }

  public let folder: String
  public let name: String

  public var authority: Files {
    Files(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
  }

  /// - Parameter name: of the authority and its files.
  public init(in folder: String, name: String = "authority") throws {
    self.folder = folder
    self.name = name
    try openssl(
      ["req", "-x509", "-nodes", "-days", "30", "-subj", "/CN=\(name)", "-keyout", authority.key, "-out"]
        + [authority.certificate] + Self.newKey)
  }

  /// - Parameters:
  ///   - days: from now; negative for one that has expired.
  ///   - bits: of an RSA key; nil for an elliptic curve.
  public func issue(
    _ name: String, for purpose: Purpose = .serverAuth, days: Int = 30, bits: Int? = nil
  ) throws -> Files {
    let files = Files(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
    let request = "\(folder)/\(name).csr"
    let extensions = "\(folder)/\(name).ext"
    try "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=\(purpose.rawValue)\n".write(
      toFile: extensions, atomically: true, encoding: .utf8)
    try openssl(
      ["req", "-new", "-nodes", "-subj", "/CN=\(name)", "-keyout", files.key, "-out", request]
        + (bits.map { ["-newkey", "rsa:\($0)"] } ?? Self.newKey))
    try openssl([
      "x509", "-req", "-in", request, "-CA", authority.certificate, "-CAkey", authority.key, "-set_serial",
      String(UInt32.random(in: 1 ... .max)), "-days", String(days), "-extfile", extensions, "-out",
      files.certificate,
    ])
    return files
  }

  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]

  private func openssl(_ arguments: [String]) throws {
    let (status, text) = try runProgram("openssl", arguments, in: folder)
    guard status == 0 else { throw CertificateMakerError(text: "openssl \(arguments[0]): \(text)") }
  }
}

public struct CertificateMakerError: Error, CustomStringConvertible {
  let text: String
  public var description: String { text }
}
