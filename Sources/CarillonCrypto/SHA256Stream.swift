import CCrypto

/// SHA-256 of what comes bit by bit, and is never there whole.
public final class SHA256Stream {
  private let context: OpaquePointer

  public init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      fatalError("libcrypto cannot compute SHA-256")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  public func update(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard EVP_DigestUpdate(context, bytes, bytes.count) == 1 else {
      fatalError("libcrypto cannot compute SHA-256")
    }
  }

  /// Of all that came; nothing may come after it.
  public func finish() -> SHA256Digest {
    var out = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
    guard EVP_DigestFinal_ex(context, &out, nil) == 1 else { fatalError("libcrypto cannot compute SHA-256") }
    return SHA256Digest(trusted: out)
  }
}
