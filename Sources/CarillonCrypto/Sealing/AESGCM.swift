import CCrypto

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), by libcrypto: keeps bytes secret, and tells when they, or what
/// they were bound to, have been changed.
///
/// A nonce must never serve twice under one key.
public enum AESGCM {
  public static let keyByteCount = 32
  public static let nonceByteCount = 12
  public static let tagByteCount = 16

  /// The ciphertext, as long as the plaintext, and behind it the tag.
  ///
  /// - Parameter additional: is not part of the result, and must be the same when it is opened.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]
  ) -> [UInt8] {
    let context = CipherContext()
    guard let body = context.seal(plaintext, key: key, nonce: nonce, additional: additional) else {
      // Fails only when libcrypto has no AES or no memory: nothing could go on.
      fatalError("libcrypto cannot encrypt with AES-256-GCM")
    }
    return body
  }

  /// Nil when this is not what ``seal(_:key:nonce:additional:)`` made with the same key, nonce and additional bytes.
  public static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]
  ) -> [UInt8]? {
    guard sealed.count >= tagByteCount else { return nil }
    return CipherContext().open(sealed, key: key, nonce: nonce, additional: additional)
  }

  /// Looked up once: libcrypto 3 otherwise searches its providers at every call.
  fileprivate static let algorithm = CipherAlgorithm("AES-256-GCM")
}

/// Owns one fetched cipher of libcrypto.
///
/// `@unchecked Sendable`: the cipher is immutable after the fetch and libcrypto lets threads share it.
private final class CipherAlgorithm: @unchecked Sendable {
  let handle: OpaquePointer

  init(_ name: String) {
    guard let handle = EVP_CIPHER_fetch(nil, name, nil) else { fatalError("libcrypto has no \(name)") }
    self.handle = handle
  }

  deinit { EVP_CIPHER_free(handle) }
}

/// Owns the state of one encryption or decryption; freeing it wipes the key.
private final class CipherContext {
  private let handle: OpaquePointer

  init() {
    guard let handle = EVP_CIPHER_CTX_new() else { fatalError("libcrypto has no memory for a cipher") }
    self.handle = handle
  }

  deinit { EVP_CIPHER_CTX_free(handle) }

  func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]? {
    precondition(key.count == AESGCM.keyByteCount && nonce.count == AESGCM.nonceByteCount)
    var out = [UInt8](repeating: 0, count: plaintext.count + AESGCM.tagByteCount)
    var length: Int32 = 0
    guard EVP_EncryptInit_ex2(handle, AESGCM.algorithm.handle, key, nonce, nil) == 1,
      additional.isEmpty
        || EVP_EncryptUpdate(handle, nil, &length, additional, Int32(additional.count)) == 1,
      plaintext.isEmpty || EVP_EncryptUpdate(handle, &out, &length, plaintext, Int32(plaintext.count)) == 1
    else { return nil }
    // Writes nothing in this mode, but wants a place.
    var rest = [UInt8](repeating: 0, count: AESGCM.tagByteCount)
    var tag = rest
    guard EVP_EncryptFinal_ex(handle, &rest, &length) == 1,
      EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
    else { return nil }
    out.replaceSubrange(plaintext.count..., with: tag)
    return out
  }

  func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]? {
    precondition(key.count == AESGCM.keyByteCount && nonce.count == AESGCM.nonceByteCount)
    let count = sealed.count - AESGCM.tagByteCount
    var tag = Array(sealed[count...])
    var out = [UInt8](repeating: 0, count: count)
    var rest = [UInt8](repeating: 0, count: AESGCM.tagByteCount)
    var length: Int32 = 0
    guard EVP_DecryptInit_ex2(handle, AESGCM.algorithm.handle, key, nonce, nil) == 1,
      additional.isEmpty
        || EVP_DecryptUpdate(handle, nil, &length, additional, Int32(additional.count)) == 1,
      count == 0 || EVP_DecryptUpdate(handle, &out, &length, sealed, Int32(count)) == 1,
      EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
      EVP_DecryptFinal_ex(handle, &rest, &length) == 1
    else { return nil }
    return out
  }
}
