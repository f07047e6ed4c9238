#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Small files, read whole.
enum File {
  /// No zone file comes near it.
  static let mostBytes = 1 << 20

  /// Nil when it is not a readable file or larger than allowed.
  ///
  /// - Parameter atMost: where to stop reading; nil reads all.
  static func bytes(_ path: String, atMost limit: Int? = nil) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 8192)
    while bytes.count < limit ?? .max {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { break }
      bytes += chunk[..<count]
      if limit == nil, bytes.count > mostBytes { return nil }
    }
    return ferror(file) == 0 ? bytes : nil
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
