import CarillonCrypto
import CarillonJSON
import Glibc

/// Reads an archive line by line and holds it against what it says of itself. Nothing it gives is to be trusted before
/// ``read(_:)`` has returned.
final class ArchiveReader {
  private let path: String
  private let descriptor: Int32

  init(path: String) throws(CommandFailure) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
    // It is read twice: to check it, and to put it in.
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      close(descriptor)
      throw CommandFailure(
        .usage, "\(path) cannot be read twice, and an archive is checked before anything is changed",
        "Give a file, not a pipe")
    }
  }

  deinit { close(descriptor) }

  /// What a whole archive says of itself.
  struct Summary: Hashable {
    var header: ArchiveHeader
    /// By table, in the order of the header.
    var counts: [ArchiveCount]
    var checksum: String

    var rows: Int { counts.reduce(0) { $0 + $1.rows } }
  }

  /// Reads all of it, from the beginning.
  ///
  /// - Parameters:
  ///   - began: gets the header, before the first row.
  ///   - row: gets each row, a JSON object, with its table and the number of its line.
  func read(
    began: (ArchiveHeader) throws -> Void = { _ in },
    _ row: (_ table: String, _ row: [UInt8], _ line: Int) async throws -> Void
  ) async throws -> Summary {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.unreadable(path, errno) }
    var lines = Lines(descriptor: descriptor, path: path)
    guard let first = try lines.next() else { throw ArchiveDamage.noArchive }
    let header = try ArchiveHeader(line: first)
    try began(header)
    let checksum = SHA256Stream()
    checksum.update(first + [UInt8(ascii: "\n")])
    var counts = header.tables.map { ArchiveCount(table: $0.name, rows: 0) }
    while let line = try lines.next() {
      if line.starts(with: Self.end) {
        let summary = Summary(
          header: header, counts: counts, checksum: checksum.finish().description)
        try Self.check(line, lines.number, summary)
        guard try lines.next() == nil else { throw ArchiveDamage.goesOn }
        return summary
      }
      guard lines.isTerminated else { throw ArchiveDamage.truncated }
      checksum.update(line + [UInt8(ascii: "\n")])
      guard let (table, bytes) = Self.row(line), let index = counts.firstIndex(where: { $0.table == table })
      else { throw ArchiveDamage.damagedLine(lines.number) }
      counts[index].rows += 1
      try await row(table, bytes, lines.number)
    }
    throw ArchiveDamage.truncated
  }

  private static let end = Array("{\"end\":".utf8)
  private static let table = Array("{\"table\":\"".utf8)
  private static let row = Array("\",\"row\":{".utf8)

  /// The two parts of a line that the writer made: the row is PostgreSQL's to read.
  private static func row(_ line: [UInt8]) -> (String, [UInt8])? {
    guard line.starts(with: table), line.suffix(2).elementsEqual("}}".utf8),
      let quote = line[table.count...].firstIndex(of: UInt8(ascii: "\"")),
      line[quote...].starts(with: row)
    else { return nil }
    let name = String(decoding: line[table.count..<quote], as: UTF8.self)
    return (name, Array(line[(quote + row.count - 1)..<(line.count - 1)]))
  }

  private static func check(_ line: [UInt8], _ number: Int, _ summary: Summary) throws(ArchiveDamage) {
    guard let json = try? JSONValue(parsing: line), let rows = json["rows"]?.object,
      let checksum = json["sha256"]?.string
    else { throw .damagedLine(number) }
    guard checksum == summary.checksum else { throw .wrongChecksum }
    for count in summary.counts where json["rows"]?[count.table]?.int != count.rows {
      throw .wrongCount(table: count.table)
    }
    guard rows.count == summary.counts.count else { throw .damagedLine(number) }
  }

  fileprivate static func unreadable(_ path: String, _ number: Int32) -> CommandFailure {
    CommandFailure(
      .error, "cannot read \(path): \(String(cString: strerror(number)))", "Check the path and its rights")
  }
}

/// Rows of one table of an archive.
struct ArchiveCount: Hashable {
  var table: String
  var rows: Int
}

/// The lines of a file, one at a time.
private struct Lines {
  let descriptor: Int32
  let path: String
  /// Of the line that was given last, from 1.
  private(set) var number = 0
  /// Whether that one had its line feed.
  private(set) var isTerminated = true
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Without its line feed; nil at the end.
  mutating func next() throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        number += 1
        return Array(buffer[start..<end])
      }
      guard buffer.count - start <= Archive.longestLine else { throw ArchiveDamage.lineTooLong(number + 1) }
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        number += 1
        isTerminated = false
        return Array(buffer[start...])
      }
      buffer.removeSubrange(..<start)
      start = 0
      searched = buffer.count
      try fill()
    }
  }

  private mutating func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw ArchiveReader.unreadable(path, errno) }
      isAtEnd = count == 0
      buffer += chunk[..<count]
      return
    }
  }
}
