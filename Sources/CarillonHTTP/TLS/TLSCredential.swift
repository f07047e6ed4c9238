import CGnuTLS

/// What a TLS listener shows of itself, and what it asks of its clients: a certificate with its chain, the private
/// key, and perhaps the authorities of the clients' certificates.
///
/// Complete and checked once it is made, and never changed: a new certificate is a new credential
/// (``HTTPServer/use(_:)``). Every connection holds the one it began with, so the last of them frees it.
public final class TLSCredential: @unchecked Sendable {
  // Unchecked: GnuTLS only reads a credential that is set up, and sessions of any thread may share one.

  /// The texts it is made of, as their files have them (PEM).
  public struct Texts: Sendable {
    /// The server's own certificate first, then each by whom the one before it is issued.
    public var certificates: [UInt8]
    /// Not encrypted.
    public var privateKey: [UInt8]
    /// Who issues the certificates of clients; nil asks clients for none.
    public var clientAuthorities: [UInt8]?

    public init(certificates: [UInt8], privateKey: [UInt8], clientAuthorities: [UInt8]? = nil) {
      self.certificates = certificates
      self.privateKey = privateKey
      self.clientAuthorities = clientAuthorities
    }
  }

  /// A longer chain is a mistake.
  public static let certificateLimit = 16

  /// When the server's own certificate ends, in seconds since 1970.
  public let expiresAt: Int64
  /// Whether clients need a certificate.
  public let asksClients: Bool
  let handle: OpaquePointer
  /// Of the tickets with which a client that was here comes back without a whole handshake. Nil for clients that must
  /// show a certificate: a ticket would outlive it.
  let tickets: TicketKey?

  /// - Parameter now: seconds since 1970, against which the server's own certificate is held. Of its issuers'
  ///   some may have expired: old devices are served by such chains.
  public init(_ texts: Texts, now: Int64) throws(TLSCredentialError) {
    let chain = try CertificateChain(texts.certificates)
    guard now >= chain.beginsAt else { throw .notYetValid(from: chain.beginsAt) }
    guard now < chain.expiresAt else { throw .expired(at: chain.expiresAt) }
    let key = try PrivateKey(texts.privateKey)
    var made: OpaquePointer?
    let result = gnutls_certificate_allocate_credentials(&made)
    guard result == GNUTLS_E_SUCCESS, let made else { throw .failed(reason: GnuTLSReason.text(result)) }
    do {
      try Self.install(chain, key, in: made)
      if let authorities = texts.clientAuthorities { try Self.trust(authorities, in: made) }
      tickets = texts.clientAuthorities == nil ? try TicketKey() : nil
    } catch {
      gnutls_certificate_free_credentials(made)
      throw error
    }
    expiresAt = chain.expiresAt
    asksClients = texts.clientAuthorities != nil
    handle = made
  }

  deinit { gnutls_certificate_free_credentials(handle) }

  /// Copies both, and finds out whether they belong together.
  private static func install(
    _ chain: borrowing CertificateChain, _ key: borrowing PrivateKey, in credential: OpaquePointer
  ) throws(TLSCredentialError) {
    let result = chain.withList { list, count in
      gnutls_certificate_set_x509_key(credential, list, count, key.handle)
    }
    if result == GNUTLS_E_CERTIFICATE_KEY_MISMATCH { throw .keyOfAnotherCertificate }
    // Else the number of the pair in the credential.
    guard result >= 0 else { throw .failed(reason: GnuTLSReason.text(result)) }
  }

  private static func trust(_ authorities: [UInt8], in credential: OpaquePointer) throws(TLSCredentialError) {
    let count = authorities.withDatum { data in
      gnutls_certificate_set_x509_trust_mem(credential, &data, GNUTLS_X509_FMT_PEM)
    }
    guard count > 0 else { throw .authoritiesUnreadable(reason: GnuTLSReason.text(count)) }
  }
}

/// Why a credential cannot be made.
public enum TLSCredentialError: Error, Hashable, Sendable {
  /// No certificate, one that is cut off, or a chain out of order.
  case certificatesUnreadable(reason: String)
  /// No private key, one that is cut off or encrypted.
  case privateKeyUnreadable(reason: String)
  case authoritiesUnreadable(reason: String)
  case keyOfAnotherCertificate
  /// Seconds since 1970.
  case expired(at: Int64)
  /// Seconds since 1970.
  case notYetValid(from: Int64)
  case failed(reason: String)
}

/// The owner of the key that session tickets are encrypted with.
struct TicketKey: ~Copyable {
  private var key = gnutls_datum_t()

  init() throws(TLSCredentialError) {
    let result = gnutls_session_ticket_key_generate(&key)
    guard result == GNUTLS_E_SUCCESS else { throw .failed(reason: GnuTLSReason.text(result)) }
  }

  /// GnuTLS copies the key.
  func enable(in session: OpaquePointer) -> Bool {
    withUnsafePointer(to: key) { gnutls_session_ticket_enable_server(session, $0) } == GNUTLS_E_SUCCESS
  }

  deinit {
    gnutls_memset(key.data, 0, Int(key.size))
    cgnutls_free(key.data)
  }
}
