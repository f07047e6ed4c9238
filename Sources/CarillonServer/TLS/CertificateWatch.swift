import CarillonHTTP
import CarillonModel
import CarillonTelemetry

/// The certificate of the public listener: read at the start and whenever the operator says so, with what is told of
/// its end.
struct CertificateWatch: Sendable {
  /// Nearer to its end, a certificate is worth a warning: authorities that issue for 90 days renew 30 days before.
  static let secondsToWarn: Int64 = 14 * 86_400

  private let files: TLSFiles
  private let logger: Logger
  private let expiry: Gauge?

  init(_ files: TLSFiles, logger: Logger, registry: MetricRegistry) {
    self.files = files
    self.logger = logger
    expiry =
      files == TLSFiles()
      ? nil
      : registry.gauge(
        "carillon_tls_certificate_expires_timestamp_seconds",
        help: "When the certificate of the public listener ends, in seconds since 1970.")
  }

  /// Nil when the server speaks plain HTTP.
  func read(at now: Instant) throws(TLSFilesError) -> TLSCredential? {
    guard let credential = try files.credential(at: now) else { return nil }
    expiry?.set(Int(credential.expiresAt))
    if credential.expiresAt - now.seconds < Self.secondsToWarn {
      logger.warning(
        "the certificate ends soon",
        [
          "certificate": .string(files.certificate ?? ""),
          "expiresAt": .string(Instant(seconds: credential.expiresAt).description),
          "remedy": "Renew it, then send SIGHUP.",
        ])
    }
    return credential
  }
}
