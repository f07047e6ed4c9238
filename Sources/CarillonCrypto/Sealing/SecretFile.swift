import Glibc

/// Files that hold a secret: small, and nobody's but their owner's.
public enum SecretFile {
  /// More is no secret of ours.
  public static let maximumBytes = 4_096

  /// The file's text. Refuses one that its group or everybody may read or write.
  public static func read(
    _ path: String, maximumBytes: Int = SecretFile.maximumBytes
  ) throws(SecretFileError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, errno: errno) }
    defer { close(descriptor) }
    // Of what was opened, not of what the path names by now.
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile(path: path) }
    guard status.st_mode & 0o077 == 0 else { throw .open(path: path, mode: status.st_mode & 0o777) }
    guard status.st_size <= maximumBytes else { throw .tooLong(path: path) }
    var bytes = [UInt8](repeating: 0, count: maximumBytes)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .unreadable(path: path, errno: errno) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// Refuses a file that its group or everybody may read or write, and does not open it. For what holds a secret among
  /// other things.
  public static func checkIsClosed(_ path: String) throws(SecretFileError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
    guard status.st_mode & 0o077 == 0 else { throw .open(path: path, mode: status.st_mode & 0o777) }
  }

  public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Makes the file, for its owner alone, durable when this returns. Refuses to replace one.
  public static func create(_ path: String, _ text: String) throws(SecretFileError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unwritable(path: path, errno: errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      let reason = errno
      unlink(path)
      throw .unwritable(path: path, errno: reason)
    }
  }
}

public enum SecretFileError: Error, Hashable, Sendable {
  case unreadable(path: String, errno: Int32)
  case unwritable(path: String, errno: Int32)
  /// A folder or a device.
  case noFile(path: String)
  case tooLong(path: String)
  /// Others than the owner may read or write it.
  case open(path: String, mode: UInt32)

  /// What is wrong, in one sentence.
  public var summary: String {
    switch self {
    case .unreadable(let path, let number): "'\(path)' cannot be read (\(Self.reason(number)))."
    case .unwritable(let path, let number): "'\(path)' cannot be written (\(Self.reason(number)))."
    case .noFile(let path): "'\(path)' is no regular file."
    case .tooLong(let path): "'\(path)' is too long for a secret."
    case .open(let path, let mode):
      "'\(path)' is open to others than its owner (mode \(String(mode, radix: 8)))."
    }
  }

  /// What to do.
  public var remedy: String {
    switch self {
    case .unreadable, .noFile, .tooLong: "Name a file that the server's user owns and may read."
    case .unwritable: "Let the server's user write to the folder."
    case .open(let path, _): "Run 'chmod 600 \(path)', and change the secret if others may have seen it."
    }
  }

  private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}
