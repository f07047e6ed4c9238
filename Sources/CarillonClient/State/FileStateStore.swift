import CarillonModel
import Foundation

/// Keeps the state in one file: written beside, synced to the disk, then renamed over the old one.
///
/// A file that cannot be read is set aside as `<name>.damaged`, and the installation starts anew. On Apple platforms
/// the file is kept out of backups, so that a restored phone is a new installation.
public struct FileStateStore: StateStore {
  /// Bytes; a full outbox stays far below.
  public static let largestFile = 64 * 1024 * 1024

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
      throw unavailable("read", error)
    }
    do {
      return .state(try ClientState(stored: bytes))
    } catch {
      let aside = path + ".damaged"
      guard rename(path, aside) == 0 else { throw unavailable("set aside", PosixError.last) }
      return .damaged(DamagedState(setAside: aside, reason: "\(error)"))
    }
  }

  public func save(_ state: ClientState) async throws(CarillonError) {
    do {
      try replace(with: state.stored)
    } catch {
      throw unavailable("written", error)
    }
  }

  private func unavailable(_ what: String, _ error: any Error) -> CarillonError {
    CarillonError(
      .stateUnavailable, "\(path) could not be \(what): \(error); see to its folder and the free space",
      isRetryable: true)
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
