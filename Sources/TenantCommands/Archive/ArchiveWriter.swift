import CarillonCrypto
import CarillonJSON
import Glibc

/// Writes an archive line by line: to standard output, or beside the file it will be, which it becomes when it is whole.
/// Whatever stands under its name, or comes to stand there meanwhile, is left alone.
final class ArchiveWriter {
  private static let bufferBytes = 1 << 18

  private let path: String?
  private let descriptor: Int32
  private let checksum = SHA256Stream()
  private var buffer: [UInt8] = []
  private var counts: [(table: String, rows: Int)] = []
  private var isOpen = true
  private var isFinished = false
  private(set) var byteCount = 0

  /// - Parameter path: `-` is standard output.
  /// - Throws: ``CommandFailure`` with `conflict` when anything stands there, be it a link to nowhere.
  init(path: String) throws(CommandFailure) {
    if path == InputFile.standardInput {
      self.path = nil
      descriptor = STDOUT_FILENO
      return
    }
    try Self.checkIsFree(path)
    // Nobody else's business: it holds what devices have told.
    let opened = open(Self.draft(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard opened >= 0 else {
      throw errno == EEXIST ? Self.begun(path) : Self.failure(path, errno)
    }
    // Only now: deinit takes away what is ours alone.
    self.path = path
    descriptor = opened
  }

  deinit {
    guard let path else { return }
    if isOpen { close(descriptor) }
    if !isFinished { unlink(Self.draft(path)) }
  }

  /// Whether an archive can be made under this name: it is one, and nothing has it.
  static func checkIsFree(_ path: String) throws(CommandFailure) {
    if path == InputFile.standardInput { return }
    guard !path.isEmpty else {
      throw CommandFailure(.usage, "FILE is empty", "Give the name of the archive, or - for standard output")
    }
    var status = stat()
    if lstat(path, &status) == 0 { throw taken(path) }
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
    guard fsync(descriptor) == 0 else { throw Self.failure(path, errno) }
    isOpen = false
    guard close(descriptor) == 0 else { throw Self.failure(path, errno) }
    try place(at: path)
    return digest
  }

  /// Not `rename`, which would replace what has come to stand there.
  private func place(at path: String) throws(CommandFailure) {
    if link(Self.draft(path), path) == 0 {
      unlink(Self.draft(path))
    } else {
      // A file system without links: the name is taken first.
      guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { throw Self.unplaced(path, errno) }
      let name = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard name >= 0 else { throw Self.unplaced(path, errno) }
      close(name)
      guard rename(Self.draft(path), path) == 0 else { throw Self.failure(path, errno) }
    }
    isFinished = true
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

  private static func unplaced(_ path: String, _ number: Int32) -> CommandFailure {
    number == EEXIST ? taken(path) : failure(path, number)
  }

  private static func begun(_ path: String) -> CommandFailure {
    CommandFailure(
      .conflict,
      "'\(draft(path))' is there: an export to '\(path)' is under way, or was broken off and left it behind",
      "When none is under way remove it ('rm \(draft(path))') and export again, or choose another name")
  }

  private static func taken(_ path: String) -> CommandFailure {
    CommandFailure(
      .conflict, "'\(path)' exists, and nothing is replaced",
      "Choose another name, or remove it if it is no longer wanted")
  }

  private static func failure(_ path: String, _ number: Int32) -> CommandFailure {
    CommandFailure(
      .error, "cannot write \(path): \(String(cString: strerror(number)))", "Check the path and its rights")
  }
}
