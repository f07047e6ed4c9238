import Dispatch
import Foundation

/// Runs a program of the PATH to its end; returns its status and everything it wrote. Blocks.
///
/// What it writes goes to a file in `folder`: a pipe would be held open by whatever else this process starts meanwhile.
public func runProgram(
  _ name: String, _ arguments: [String], input: String = "", in folder: String
) throws -> (status: Int32, output: String) {
  let stem = "\(folder)/\(name)-\(UInt64.random(in: .min ... .max))"
  let inputURL = URL(fileURLWithPath: stem + ".in")
  let outputURL = URL(fileURLWithPath: stem + ".out")
  try Data(input.utf8).write(to: inputURL)
  try Data().write(to: outputURL)
  defer {
    try? FileManager.default.removeItem(at: inputURL)
    try? FileManager.default.removeItem(at: outputURL)
  }
  let output = try FileHandle(forWritingTo: outputURL)
  let process = Program()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [name] + arguments
  process.standardInput = try FileHandle(forReadingFrom: inputURL)
  process.standardOutput = output
  process.standardError = output
  try process.run()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: try Data(contentsOf: outputURL), as: UTF8.self))
}

/// The same without holding up the caller's thread, of which tests have few.
public func runProgram(
  _ name: String, _ arguments: [String], input: String = "", in folder: String
) async throws -> (status: Int32, output: String) {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      continuation.resume(with: Result { try runProgram(name, arguments, input: input, in: folder) })
    }
  }
}
