import Foundation
import Glibc

/// Runs `body` with a new empty folder and removes it afterwards.
public func withTemporaryFolder<R>(_ body: (String) async throws -> R) async throws -> R {
  var template = Array(
    "\(SharedCluster.temporaryFolder)/\(SharedCluster.folderPrefix)\(getpid())-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw TemporaryFolderError(errno: errno) }
  let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  chmod(folder, 0o755)
  defer { removeFolder(folder) }
  return try await body(folder)
}

struct TemporaryFolderError: Error {
  let errno: Int32
}

/// Removes a folder and all below it. Links are removed, not followed.
func removeFolder(_ path: String) {
  try? FileManager.default.removeItem(atPath: path)
}
