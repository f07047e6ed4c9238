import CLinux
import Foundation
import Glibc

/// A program that a test runs: as much of Foundation's `Process` as tests use, over `posix_spawn`.
///
/// `Process` lists this process's descriptors at each start, and reads beyond the end of its buffer where there are more
/// than some 1,300: one test with thousands of connections would crash whatever another starts meanwhile.
public final class Program: @unchecked Sendable {
  // What is set before `run` is not set after it; what changes later stands behind `state`.
  public var executableURL: URL?
  public var arguments: [String] = []
  /// Nil: this process's own.
  public var environment: [String: String]?
  public var currentDirectoryURL: URL?
  /// Nil: this process's own.
  public var standardInput: FileHandle?
  public var standardOutput: FileHandle?
  public var standardError: FileHandle?
  /// Called once, on a thread of its own.
  public var terminationHandler: (@Sendable (Program) -> Void)?
  public private(set) var processIdentifier: pid_t = 0

  public enum TerminationReason: Hashable, Sendable { case exit, uncaughtSignal }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  private let state = NSCondition()
  /// As `waitpid` gave it; nil while it runs.
  private var status: Int32?
  private var hasStarted = false

  public init() {}

  public func run() throws {
    guard let path = executableURL?.path(percentEncoded: false) else {
      throw Failure(description: "no program is named")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (handle, target) in [(standardInput, 0), (standardOutput, 1), (standardError, 2)]
      as [(FileHandle?, Int32)]
    {
      guard let handle else { continue }
      if handle === FileHandle.nullDevice {
        posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
      } else {
        posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, target)
      }
    }
    clinux_spawn_close_from(&actions, 3)
    if let folder = currentDirectoryURL {
      clinux_spawn_in_folder(&actions, folder.path(percentEncoded: false))
    }

    // Threads of the test runner block signals, and this process may ignore some.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, usual) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigemptyset(&usual)
    for signal in [SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGCHLD] { sigaddset(&usual, signal) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let variables = environment ?? ProcessInfo.processInfo.environment
    let failure = Self.withCStrings([path] + arguments) { words in
      Self.withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
        posix_spawn(&processIdentifier, path, &actions, &attributes, words, variables)
      }
    }
    guard failure == 0 else {
      throw Failure(description: "\(path) cannot be started: \(String(cString: strerror(failure)))")
    }
    state.withLock { hasStarted = true }
    Thread { self.waitForEnd() }.start()
  }

  private func waitForEnd() {
    var status: Int32 = 0
    while waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
    state.withLock {
      self.status = status
      state.broadcast()
    }
    terminationHandler?(self)
  }

  private static func withCStrings<R>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
  ) -> R {
    let pointers = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }

  public var isRunning: Bool { state.withLock { hasStarted && status == nil } }

  public func terminate() { kill(processIdentifier, SIGTERM) }

  /// Blocks.
  public func waitUntilExit() {
    state.withLock { while status == nil { state.wait() } }
  }

  /// How it ended; only once it has.
  public var terminationReason: TerminationReason { ended & 0x7F == 0 ? .exit : .uncaughtSignal }
  /// Its exit code, or the number of the signal.
  public var terminationStatus: Int32 { ended & 0x7F == 0 ? ended >> 8 & 0xFF : ended & 0x7F }

  private var ended: Int32 {
    guard let status = state.withLock({ status }) else { preconditionFailure("the program still runs") }
    return status
  }
}
