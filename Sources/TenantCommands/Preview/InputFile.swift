import CarillonJSON
import Glibc

/// A file somebody names, read whole.
struct InputFile: Sendable {
  /// No file that a command reads may be longer.
  static let largest = 8 << 20
  static let standardInput = "-"

  /// As it is shown: the path, or `standard input`.
  var name: String
  var bytes: [UInt8]

  /// - Parameter path: `-` is standard input.
  init(path: String) throws(CommandFailure) {
    let isInput = path == Self.standardInput
    name = isInput ? "standard input" : path
    let descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unreadable(name, errno) }
    defer { if !isInput { close(descriptor) } }
    bytes = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.unreadable(name, errno)
      }
      bytes += buffer[..<count]
      guard bytes.count <= Self.largest else {
        throw CommandFailure(.error, "\(name) is longer than \(Self.largest) bytes", "Give a shorter file")
      }
    }
  }

  /// Reads the file as one JSON document.
  func parse<Result>(
    _ body: (inout JSONReader) throws(JSONError) -> Result
  ) throws(CommandFailure) -> Result {
    do { return try JSONReader.read(bytes, body) } catch { throw failure(error) }
  }

  func failure(_ error: JSONError) -> CommandFailure {
    let place = error.pointer.isEmpty ? "" : " at \(error.pointer)"
    return CommandFailure(.error, "\(name)\(place) (byte \(error.offset)): \(error.detail)", "Mend the file")
  }

  private static func unreadable(_ name: String, _ number: Int32) -> CommandFailure {
    CommandFailure(
      .error, "cannot read \(name): \(String(cString: strerror(number)))", "Check the path and its rights")
  }
}
