import Foundation
import TestSupport

/// The built program, run as a user runs it.
enum Tenantctl {
  struct Outcome: Hashable, Sendable {
    var output: String
    var errors: String
    var code: Int32
  }

  /// Beside the test bundle.
  static let path: String = {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let path = products.appending(path: "tenantctl").path(percentEncoded: false)
    precondition(FileManager.default.isExecutableFile(atPath: path), "there is no \(path)")
    return path
  }()

  /// Runs it with nothing in its environment but what is given.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], input: String = ""
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let (output, errors) = (folder.path("out"), folder.path("err"))
    let process = Program()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = environment
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle(forReadingAtPath: try folder.file("in", input))
    process.standardOutput = try folder.create("out")
    process.standardError = try folder.create("err")
    let code = try await process.code()
    return Outcome(
      output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8), code: code)
  }

  /// Runs a shell's line, in which `tenantctl` is the program.
  static func shell(_ line: String, environment: [String: String] = [:]) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let process = Program()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", line]
    let products = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    process.environment = environment.merging(["PATH": "\(products):/usr/bin:/bin"]) { own, _ in own }
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try folder.create("out")
    process.standardError = try folder.create("err")
    let code = try await process.code()
    return Outcome(
      output: try String(contentsOfFile: folder.path("out"), encoding: .utf8),
      errors: try String(contentsOfFile: folder.path("err"), encoding: .utf8), code: code)
  }
}

extension Program {
  /// Runs to the end without holding a thread; a signal's number is negative.
  fileprivate func code() async throws -> Int32 {
    try await withCheckedThrowingContinuation { continuation in
      terminationHandler = { process in
        let status = process.terminationStatus
        continuation.resume(returning: process.terminationReason == .exit ? status : -status)
      }
      do { try run() } catch {
        terminationHandler = nil
        continuation.resume(throwing: error)
      }
    }
  }
}

/// A folder that lives as long as this value.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "tenantctl-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  /// Writes a file and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: path(name), atomically: false, encoding: .utf8)
    return path(name)
  }

  func create(_ name: String) throws -> FileHandle {
    _ = try file(name, "")
    return try FileHandle(forWritingTo: url.appending(path: name))
  }
}
