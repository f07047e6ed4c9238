import CGnuTLS
import CMicroHTTPD

/// The TLS of one connection. The session is libmicrohttpd's, which made it and frees it before it tells of the
/// connection's end; what it shows and asks is the credential's, which lives as long as this.
final class TLSSession {
  /// Versions 1.2 and 1.3; forward secrecy and authenticated encryption only (RFC 9325, sections 3.1.1 and 4.2). X25519
  /// first, for which clients bring a key along: another group costs TLS 1.3 a round trip more.
  static let priorities: StaticString =
    """
    SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-CIPHER-ALL:+AES-128-GCM:\
    +CHACHA20-POLY1305:+AES-256-GCM:-MAC-ALL:+AEAD:-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:\
    %SERVER_PRECEDENCE
    """

  private let credential: TLSCredential
  /// Whether the client has said its last word of the handshake.
  private(set) var isEstablished = false

  /// Before the handshake. Nil when the session cannot be set up; the connection must not go on then.
  init?(of connection: OpaquePointer, showing credential: TLSCredential) {
    guard let handle = cmhd_tls_session(connection).map({ OpaquePointer($0) }) else { return nil }
    self.credential = credential
    guard
      gnutls_credentials_set(handle, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credential.handle))
        == GNUTLS_E_SUCCESS, cgnutls_speak_http11(handle) == GNUTLS_E_SUCCESS
    else { return nil }
    if credential.asksClients { cgnutls_require_client_certificate(handle) }
    if credential.tickets?.enable(in: handle) == false { return nil }
    noteFinished(of: handle)
  }

  /// With the farewell that TLS owes.
  func sendLast(_ bytes: [UInt8], on connection: OpaquePointer) {
    guard isEstablished, let handle = cmhd_tls_session(connection).map({ OpaquePointer($0) }) else { return }
    guard gnutls_record_send(handle, bytes, bytes.count) == bytes.count else { return }
    gnutls_bye(handle, GNUTLS_SHUT_WR)
  }

  private func noteFinished(of handle: OpaquePointer) {
    // Of a cache of sessions, which is not used: the one pointer of a session that nobody else sets.
    gnutls_db_set_ptr(handle, Unmanaged.passUnretained(self).toOpaque())
    gnutls_handshake_set_hook_function(handle, GNUTLS_HANDSHAKE_FINISHED.rawValue, Int32(GNUTLS_HOOK_POST)) {
      handle, _, _, isIncoming, _ in
      if isIncoming != 0, let own = gnutls_db_get_ptr(handle) {
        Unmanaged<TLSSession>.fromOpaque(own).takeUnretainedValue().isEstablished = true
      }
      return 0
    }
  }
}
