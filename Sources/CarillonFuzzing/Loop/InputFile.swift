import Glibc

/// Saved inputs.
public enum InputFile {
  private static let largest = 1 << 20

  /// At most 1 MiB; nil when it cannot be read.
  public static func bytes(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: largest) { buffer, count in
      count = fread(buffer.baseAddress, 1, largest, file)
    }
    return ferror(file) == 0 ? bytes : nil
  }
}
