import Foundation

/// Programs that a measurement starts, and ends.
struct ChildProcess {
  private let process: Process
  private let output: Pipe

  var identifier: Int32 { process.processIdentifier }

  /// Starts a program and returns when it has printed `line` on standard error.
  init(_ program: String, _ arguments: [String], waitingFor line: String) throws {
    try self.init(program, arguments, waitingFor: 1) { $0 == line }
  }

  /// - Parameter count: of lines on standard error that say the program is ready.
  init(
    _ program: String, _ arguments: [String], waitingFor count: Int, where isReady: (Substring) -> Bool
  ) throws {
    process = Process()
    output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = output
    try process.runWithOwnSignals()
    var seen = Data()
    while String(decoding: seen, as: UTF8.self).split(separator: "\n").count(where: isReady) < count {
      guard let more = try output.fileHandleForReading.read(upToCount: 1) else {
        throw LoadFailure(detail: "\(program) ended early: \(String(decoding: seen, as: UTF8.self))")
      }
      seen.append(more)
    }
    // What it says later must not block it.
    output.fileHandleForReading.readabilityHandler = { handle in
      if handle.availableData.isEmpty { handle.readabilityHandler = nil }
    }
  }

  /// SIGTERM, and waits for the end.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  /// Runs a program to its end; returns its standard output.
  static func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws
    -> String
  {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try process.runWithOwnSignals()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw LoadFailure(detail: "\(program) failed: \(String(decoding: complaint, as: UTF8.self))")
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Process {
  /// Starts the program with no signal blocked. It would inherit the mask of this thread, and Dispatch's threads
  /// block SIGALRM, without which pgbench never ends.
  fileprivate func runWithOwnSignals() throws {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try run()
  }
}
