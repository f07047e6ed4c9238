import Foundation

/// Programs that a measurement starts, and ends.
struct ChildProcess {
  private let process: Process
  private let output: Pipe

  var identifier: Int32 { process.processIdentifier }

  /// Starts a program and returns when it has printed `line` on standard error.
  init(_ program: String, _ arguments: [String], waitingFor line: String) throws {
    process = Process()
    output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = output
    try process.runWithOwnSignals()
    var seen = Data()
    while !String(decoding: seen, as: UTF8.self).split(separator: "\n").contains(Substring(line)) {
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

/// CPU time that processes have used, from /proc.
enum ProcessTimes {
  /// Seconds of a process and all its descendants.
  static func seconds(of root: Int32) -> Double {
    let parents = all()
    var family: Set<Int32> = [root]
    var grew = true
    while grew {
      grew = false
      for (child, entry) in parents where family.contains(entry.parent) && !family.contains(child) {
        family.insert(child)
        grew = true
      }
    }
    return family.reduce(0) { $0 + (parents[$1]?.seconds ?? 0) }
  }

  /// Seconds of a process alone.
  static func ownSeconds(of process: Int32) -> Double { read(process)?.seconds ?? 0 }

  private static func all() -> [Int32: (parent: Int32, seconds: Double)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    var table: [Int32: (parent: Int32, seconds: Double)] = [:]
    for name in names {
      if let identifier = Int32(name), let entry = read(identifier) { table[identifier] = entry }
    }
    return table
  }

  private static func read(_ process: Int32) -> (parent: Int32, seconds: Double)? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let close = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: close)...].split(separator: " ")
    guard fields.count > 14, let parent = Int32(fields[1]), let user = Double(fields[11]),
      let system = Double(fields[12])
    else { return nil }
    return (parent, (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }
}
