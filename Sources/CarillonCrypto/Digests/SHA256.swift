import CCrypto

/// SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), by libcrypto.
public enum SHA256 {
  /// The digest of the bytes.
  public static func hash(_ bytes: [UInt8]) -> SHA256Digest {
    var out = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
    // Fails only when libcrypto has no SHA-256 or no memory: nothing could go on.
    guard EVP_Digest(bytes, bytes.count, &out, nil, algorithm.handle, nil) == 1 else {
      fatalError("libcrypto cannot compute SHA-256")
    }
    return SHA256Digest(trusted: out)
  }

  /// The digest of the text's UTF-8 bytes.
  public static func hash(_ text: String) -> SHA256Digest { hash(Array(text.utf8)) }

  /// The authentication code of the bytes under the key; a key may have any length.
  public static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> SHA256Digest {
    var out = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
    var length: UInt32 = 0
    // A nil key means "the key of the last call" to libcrypto: an empty key gets an address of its own.
    let keyBytes = key.isEmpty ? [0] : key
    guard
      HMAC(algorithm.handle, keyBytes, Int32(key.count), bytes, bytes.count, &out, &length) != nil,
      length == SHA256Digest.byteCount
    else { fatalError("libcrypto cannot compute HMAC-SHA-256") }
    return SHA256Digest(trusted: out)
  }

  /// Looked up once: libcrypto 3 otherwise searches its providers at every call.
  private static let algorithm = DigestAlgorithm("SHA256")
}

/// Owns one fetched digest algorithm of libcrypto.
///
/// `@unchecked Sendable`: the algorithm is immutable after the fetch and libcrypto lets threads share it.
private final class DigestAlgorithm: @unchecked Sendable {
  let handle: OpaquePointer

  init(_ name: String) {
    guard let handle = EVP_MD_fetch(nil, name, nil) else { fatalError("libcrypto has no \(name)") }
    self.handle = handle
  }

  deinit { EVP_MD_free(handle) }
}

/// 32 bytes of SHA-256. Compared in constant time, so that a comparison tells nothing of a secret.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  public static let byteCount = 32

  public let bytes: [UInt8]

  /// Nil unless there are exactly 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// 64 lower-case hexadecimal digits.
  public var description: String { Hexadecimal.text(bytes) }

  public static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
    ConstantTime.areEqual(left.bytes, right.bytes)
  }
}

/// Comparison whose time depends on the lengths alone.
public enum ConstantTime {
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
