import CarillonCrypto
import CarillonJSON
import Glibc

/// Writes an archive line by line: to standard output, or beside the file it will be, which it becomes when it is whole.
final class ArchiveWriter {
  private static let bufferBytes = 1 << 18

  private let path: String?
  private let descriptor: Int32
  private let checksum = SHA256Stream()
  private var buffer: [UInt8] = []
  private var counts: [(table: String, rows: Int)] = []
  private var isFinished = false
  private(set) var byteCount = 0

  /// - Parameter path: `-` is standard output.
  init(path: String) throws(CommandFailure) {
    if path == InputFile.standardInput {
      self.path = nil
      descriptor = STDOUT_FILENO
      return
    }
    self.path = path
    // Nobody else's business: it holds what devices have told.
    descriptor = open(Self.draft(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
  }

  deinit {
    guard let path, !isFinished else { return }
    close(descriptor)
    unlink(Self.draft(path))
  }

  func begin(_ header: ArchiveHeader) throws(CommandFailure) {
    counts = header.tables.map { ($0.name, 0) }
    try write(line: header.json.bytes)
  }

  /// - Parameter row: a JSON object on one line.
  func write(row: [UInt8], of table: String) throws(CommandFailure) {
    guard let index = counts.firstIndex(where: { $0.table == table }) else {
      preconditionFailure("the header lacks \(table)")
    }
    counts[index].rows += 1
    try write(line: Array("{\"table\":\"\(table)\",\"row\":".utf8) + row + Array("}".utf8))
  }

  var rowCount: Int { counts.reduce(0) { $0 + $1.rows } }

  /// Writes the closing line and puts the file in its place; returns the checksum.
  func finish() throws(CommandFailure) -> String {
    let digest = checksum.finish().description
    let line: JSONValue = [
      "end": true, "rows": .object(counts.map { JSONMember($0.table, .number(String($0.rows))) }),
      "sha256": .string(digest),
    ]
    buffer += line.bytes + [UInt8(ascii: "\n")]
    try flush()
    guard let path else { return digest }
    guard fsync(descriptor) == 0, close(descriptor) == 0, rename(Self.draft(path), path) == 0 else {
      throw Self.failure(path, errno)
    }
    isFinished = true
    return digest
  }

  private func write(line: [UInt8]) throws(CommandFailure) {
    let line = line + [UInt8(ascii: "\n")]
    checksum.update(line)
    buffer += line
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  private func flush() throws(CommandFailure) {
    var start = 0
    while start < buffer.count {
      let count = buffer.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress! + start, $0.count - start)
      }
      if count >= 0 {
        start += count
      } else if errno != EINTR {
        throw Self.failure(path ?? "standard output", errno)
      }
    }
    byteCount += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  private static func draft(_ path: String) -> String { path + ".part" }

  private static func failure(_ path: String, _ number: Int32) -> CommandFailure {
    CommandFailure(
      .error, "cannot write \(path): \(String(cString: strerror(number)))", "Check the path and its rights")
  }
}
