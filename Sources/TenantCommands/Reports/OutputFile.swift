import Glibc

/// A file that a command makes.
enum OutputFile {
  /// Writes beside it first and then puts it in its place: whoever reads it gets the old one or the new one whole. What
  /// stands there and is no plain file (a device, a pipe, a folder, a link) is left alone.
  static func write(_ text: String, to path: String) throws(CommandFailure) {
    try checkIsPlain(path)
    // The name is this process's own, and nothing that stands under it is followed or written into.
    let draft = "\(path).\(getpid()).part"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path, errno) }
    let written = writeAll(Array(text.utf8), to: descriptor)
    let isClosed = close(descriptor) == 0
    guard written, isClosed, rename(draft, path) == 0 else {
      let number = errno
      unlink(draft)
      throw failure(path, number)
    }
  }

  private static func checkIsPlain(_ path: String) throws(CommandFailure) {
    guard !path.isEmpty else {
      throw CommandFailure(.usage, "FILE is empty", "Give the name of the file, or -")
    }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw CommandFailure(
      .conflict, "'\(path)' is no plain file, and is not replaced",
      "Choose another name; - is standard output")
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress! + start, $0.count - start)
      }
      if count >= 0 { start += count } else if errno != EINTR { return false }
    }
    return true
  }

  private static func failure(_ path: String, _ number: Int32) -> CommandFailure {
    CommandFailure(
      .error, "cannot write \(path): \(String(cString: strerror(number)))", "Check the path and its rights")
  }
}
