import CarillonJSON
import CarillonTesting
import Foundation

/// What a device's notification center holds, between two runs: on a phone iOS keeps it.
struct CenterFile {
  let path: String

  /// Nil at the first run.
  func read() throws -> CenterSnapshot? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return try CenterSnapshot(json: [UInt8](data))
  }

  func write(_ snapshot: CenterSnapshot) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(snapshot.json).write(to: url, options: .atomic)
  }
}
