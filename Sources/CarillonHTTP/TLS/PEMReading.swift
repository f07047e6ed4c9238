import CGnuTLS

/// The owner of the certificates read from a text.
struct CertificateChain: ~Copyable {
  private let list: UnsafeMutablePointer<OpaquePointer?>
  private let count: Int

  init(_ text: [UInt8]) throws(TLSCredentialError) {
    let limit = TLSCredential.certificateLimit
    let list = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: limit)
    list.initialize(repeating: nil, count: limit)
    var count = UInt32(limit)
    let flags =
      GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED.rawValue | GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED.rawValue
    let result = text.withDatum { data in
      gnutls_x509_crt_list_import(list, &count, &data, GNUTLS_X509_FMT_PEM, flags)
    }
    // On failure GnuTLS has freed what it made.
    guard result > 0 else {
      list.deallocate()
      throw .certificatesUnreadable(reason: GnuTLSReason.text(result))
    }
    self.list = list
    self.count = Int(result)
  }

  deinit {
    for index in 0..<count { gnutls_x509_crt_deinit(list[index]) }
    list.deallocate()
  }

  /// Of the first one, in seconds since 1970.
  var beginsAt: Int64 { Int64(gnutls_x509_crt_get_activation_time(list[0])) }
  var expiresAt: Int64 { Int64(gnutls_x509_crt_get_expiration_time(list[0])) }

  func withList<R>(_ body: (UnsafeMutablePointer<OpaquePointer?>, Int32) -> R) -> R {
    body(list, Int32(count))
  }
}

/// The owner of a private key read from a text.
struct PrivateKey: ~Copyable {
  let handle: OpaquePointer

  init(_ text: [UInt8]) throws(TLSCredentialError) {
    var made: OpaquePointer?
    var result = gnutls_x509_privkey_init(&made)
    guard result == GNUTLS_E_SUCCESS, let made else { throw .failed(reason: GnuTLSReason.text(result)) }
    // No password: an encrypted key is refused.
    result = text.withDatum { gnutls_x509_privkey_import2(made, &$0, GNUTLS_X509_FMT_PEM, nil, 0) }
    guard result == GNUTLS_E_SUCCESS else {
      gnutls_x509_privkey_deinit(made)
      throw .privateKeyUnreadable(reason: GnuTLSReason.text(result))
    }
    handle = made
  }

  deinit { gnutls_x509_privkey_deinit(handle) }
}

enum GnuTLSReason {
  static func text(_ result: Int32) -> String {
    result == 0
      ? "there is none in the file" : gnutls_strerror(result).map { String(cString: $0) } ?? "error \(result)"
  }
}

extension [UInt8] {
  /// Lends the bytes to GnuTLS, which takes them as mutable and changes nothing.
  func withDatum(_ body: (inout gnutls_datum_t) -> Int32) -> Int32 {
    withUnsafeBufferPointer { bytes in
      var data = gnutls_datum_t(
        data: UnsafeMutablePointer(mutating: bytes.baseAddress), size: UInt32(clamping: bytes.count))
      return body(&data)
    }
  }
}
