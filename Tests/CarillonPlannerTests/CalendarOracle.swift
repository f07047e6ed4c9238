import Foundation
import TestSupport

/// Foundation's `Calendar`, asked in a child process with a time limit.
enum CalendarOracle {
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "calendar-oracle")
  static let isBuilt = FileManager.default.isExecutableFile(atPath: program.path)

  struct Failure: Error { let text: String }

  /// - Parameter limit: seconds; a question that is never answered must not hold up the tests.
  static func answer(to lines: [String], within limit: Double) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory
    let (question, reply) = (
      folder.appending(path: "carillon-question-\(UUID().uuidString)"),
      folder.appending(path: "carillon-reply-\(UUID().uuidString)")
    )
    defer { for file in [question, reply] { try? FileManager.default.removeItem(at: file) } }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: question)
    try Data().write(to: reply)
    let process = Program()
    process.executableURL = program
    process.standardInput = try FileHandle(forReadingFrom: question)
    process.standardOutput = try FileHandle(forWritingTo: reply)
    try process.run()
    let end = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: end)
    process.waitUntilExit()
    end.cancel()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw Failure(text: "Foundation's Calendar did not answer within \(limit) s")
    }
    return String(decoding: try Data(contentsOf: reply), as: UTF8.self).split(separator: "\n").map(
      String.init)
  }
}
