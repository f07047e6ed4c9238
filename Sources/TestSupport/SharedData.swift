import Foundation

/// Outside data that some tests use when it is there: the folder named by `CARILLON_SHARED`, else `../shared` beside
/// the package.
public enum SharedData {
  /// Nil when there is no such folder; tests are then skipped.
  public static func folder(_ path: String, packageFile: String = #filePath) -> String? {
    let root =
      ProcessInfo.processInfo.environment["CARILLON_SHARED"]
      ?? URL(filePath: packageFile).deletingLastPathComponent().appending(path: "../../../shared")
      .standardized
      .path(percentEncoded: false)
    let folder = root + "/" + path
    return FileManager.default.fileExists(atPath: folder) ? folder : nil
  }

  /// The names in a folder, sorted.
  public static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  public static func bytes(of file: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: file)))
  }
}
