import Foundation
import TestSupport

/// The Swift compiler, as these tests call it.
enum Compiler {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// Where this build's programs stand.
  static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// Where the modules of this build stand.
  static var modules: String { "\(programs)/Modules" }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// - Returns: what it said, which is nothing when all is well.
  @discardableResult
  static func run(_ program: String, _ arguments: [String], input: String = "") async throws -> String {
    let (status, output) = try await withTemporaryFolder { folder in
      try await runProgram(program, arguments, input: input, in: folder)
    }
    guard status == 0 else {
      throw Failure(description: "\(program) \(arguments.first ?? "") ended with \(status):\n\(output)")
    }
    return output
  }

  /// A new empty folder beside the programs; the same one in the next run.
  static func folder(_ name: String) throws -> String {
    let path = "\(programs)/sdk-package-tests/\(name)"
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  static func files(below folder: String, withExtension wanted: String = "swift") -> [String] {
    let all = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".\(wanted)") }.sorted().map { "\(root)/\(folder)/\($0)" }
  }

  /// From the package's root.
  static func name(_ path: String) -> String { String(path.dropFirst(root.count + 1)) }

  static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}
