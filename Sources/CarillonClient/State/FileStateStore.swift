import CarillonJSON
import CarillonModel
import Foundation

/// Keeps the state in one file: written beside, synced to the disk, then renamed over the old one.
///
/// It ends with a hash of what is before, so that no damage goes unnoticed. A file that cannot be understood is set
/// aside as `<name>.damaged`, and the installation starts anew. One that cannot be read (no permission, a bad disk) is
/// left where it is: it may be good, and the error says so. On Apple platforms the file is kept out of backups, so that a
/// restored phone is a new installation.
public struct FileStateStore: StateStore {
  /// Bytes; a larger file is neither written nor read.
  public static let largestFile = 8 * 1024 * 1024
  /// Names under which files are set aside; when all are taken, the first one is replaced.
  private static let asideNames = 9

  private let path: String

  /// In the app's own support folder, one for each server.
  public static func defaultPath(for server: URL) -> String {
    let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    let base = folder ?? FileManager.default.temporaryDirectory
    let name = [server.host, server.port.map(String.init)].compactMap(\.self).joined(separator: "-")
    return base.appendingPathComponent("Carillon/\(name).json").path
  }

  /// - Parameter path: its folder is made when it is missing.
  public init(path: String) { self.path = path }

  public func load() async throws(CarillonError) -> LoadedState {
    let bytes: [UInt8]
    do {
      guard let data = try contents() else { return .absent }
      bytes = data
    } catch {
      guard (error as? PosixError)?.number == EISDIR else { throw unavailable("read", error) }
      return try setAside("it is a folder")
    }
    guard bytes.count <= Self.largestFile else {
      return try setAside("it has more than \(Self.largestFile) bytes")
    }
    guard let checked = Self.unsealed(bytes) else {
      return try setAside("its hash is not that of its content")
    }
    do {
      return .state(try ClientState(stored: checked))
    } catch {
      return try setAside("\(error)")
    }
  }

  private func setAside(_ reason: String) throws(CarillonError) -> LoadedState {
    let names = [path + ".damaged"] + (2...Self.asideNames).map { "\(path).damaged-\($0)" }
    let aside = names.first { !FileManager.default.fileExists(atPath: $0) } ?? names[0]
    guard rename(path, aside) == 0 else { throw unavailable("set aside", PosixError.last) }
    return .damaged(DamagedState(setAside: aside, reason: reason))
  }

  public func save(_ state: ClientState) async throws(CarillonError) {
    let bytes = Self.sealed(state.stored)
    guard bytes.count <= Self.largestFile else {
      throw CarillonError(
        .stateUnavailable,
        "the state has \(bytes.count) bytes, \(Self.largestFile) are allowed; sync to empty the outbox")
    }
    do {
      try replace(with: bytes)
    } catch {
      throw unavailable("written", error)
    }
  }

  private func unavailable(_ what: String, _ error: any Error) -> CarillonError {
    CarillonError(
      .stateUnavailable, "\(path) could not be \(what): \(error); see to its folder and the free space",
      isRetryable: true)
  }

  // MARK: The hash

  /// Each byte changes it for good, so that any single damaged byte shows.
  private static func seal(of bytes: [UInt8]) -> [UInt8] {
    var hash = StableHash()
    hash.combine(bytes)
    return Array("\n\(hash.hex)".utf8)
  }

  private static func sealed(_ bytes: [UInt8]) -> [UInt8] { bytes + seal(of: bytes) }

  /// Nil when the hash is missing or another.
  private static func unsealed(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 17 else { return nil }
    let content = Array(bytes.dropLast(17))
    return Array(bytes.suffix(17)) == seal(of: content) ? content : nil
  }

  // MARK: The file

  private struct PosixError: Error, CustomStringConvertible {
    let number: Int32
    var description: String { String(cString: strerror(number)) }
    static var last: PosixError { PosixError(number: errno) }
  }

  /// Nil when there is none.
  private func contents() throws -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 {
      if errno == ENOENT { return nil }
      throw PosixError.last
    }
    defer { _ = close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= Self.largestFile {
      let count = read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw PosixError.last }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  private func replace(with bytes: [UInt8]) throws {
    let folder = (path as NSString).deletingLastPathComponent
    let folderPath = folder.isEmpty ? "." : folder
    try FileManager.default.createDirectory(atPath: folderPath, withIntermediateDirectories: true)
    let beside = path + ".new"
    let file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw PosixError.last }
    do {
      defer { _ = close(file) }
      try append(bytes, to: file)
      guard fsync(file) == 0 else { throw PosixError.last }
    }
    guard rename(beside, path) == 0 else { throw PosixError.last }
    // The rename itself lives in the folder.
    let directory = open(folderPath, O_RDONLY | O_CLOEXEC)
    if directory >= 0 {
      _ = fsync(directory)
      _ = close(directory)
    }
    #if canImport(Darwin)
      var url = URL(fileURLWithPath: path)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try url.setResourceValues(values)
    #endif
  }

  private func append(_ bytes: [UInt8], to file: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw PosixError.last }
      rest = rest.dropFirst(count)
    }
  }
}
