import CPostgres
import Glibc

/// Programs we start, as the user the cluster belongs to.
struct ChildProgram {
  /// Whom a child becomes when we are root; nil when we are not.
  struct User: Sendable {
    let id: UInt32
    let group: UInt32
  }

  let path: String
  let arguments: [String]

  /// Starts the program. `output` takes both of its output streams; `input` nil is an empty one.
  func start(in folder: String, as user: User?, input: Int32? = nil, output: Int32) -> pid_t {
    let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]
    return Self.withStrings([path] + arguments) { arguments in
      Self.withStrings(environment) { environment in
        cpostgres_spawn(
          path, arguments, environment, folder, input ?? -1, output, user?.id ?? 0, user?.group ?? 0)
      }
    }
  }

  /// Runs the program to its end; nil when it could not be started or failed, with what it printed.
  func run(in folder: String = "/", as user: User? = nil) -> (succeeded: Bool, output: String) {
    var ends: [Int32] = [-1, -1]
    guard cpostgres_pipe(&ends) == 0 else { return (false, "no pipe: errno \(errno)") }
    let pid = start(in: folder, as: user, output: ends[1])
    Glibc.close(ends[1])
    defer { Glibc.close(ends[0]) }
    guard pid > 0 else { return (false, "fork failed: errno \(-pid)") }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(ends[0], &buffer, buffer.count), count > 0 {
      output += buffer.prefix(count)
    }
    return (Self.waitForEnd(of: pid) == 0, String(decoding: output, as: UTF8.self))
  }

  /// Reaps a child of ours; returns its wait status.
  @discardableResult
  static func waitForEnd(of pid: pid_t) -> Int32 {
    var status: Int32 = -1
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return status
  }

  /// Reaps a child of ours if it has ended.
  static func hasEnded(_ pid: pid_t) -> Bool {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) != 0
  }

  private static func withStrings<R>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
  ) -> R {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}

/// What the kernel says about any process.
enum ProcessTable {
  /// Alive, and not a zombie that nobody has reaped yet.
  static func isRunning(_ pid: pid_t) -> Bool {
    guard let stat = TextFile.read("/proc/\(pid)/stat"), let state = fields(stat).first else { return false }
    return state != "Z" && state != "X"
  }

  /// Programs called `name` that work in `folder`, whose path is resolved.
  static func programs(named name: String, workingIn folder: String) -> [pid_t] {
    TextFile.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
      isRunning(pid) && workingFolder(of: pid) == folder
        && TextFile.read("/proc/\(pid)/stat")?.contains("(\(name)) ") == true
    }
  }

  static func children(of parent: pid_t) -> [pid_t] {
    TextFile.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
      guard let stat = TextFile.read("/proc/\(pid)/stat") else { return false }
      let fields = fields(stat)
      return fields.count > 1 && pid_t(fields[1]) == parent
    }
  }

  static func workingFolder(of pid: pid_t) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/\(pid)/cwd", &buffer, buffer.count - 1)
    return count < 0
      ? nil : String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// State, parent and so on: what follows the name, which may hold spaces and parentheses itself.
  private static func fields(_ stat: String) -> [Substring] {
    guard let end = stat.lastIndex(of: ")") else { return [] }
    return stat[stat.index(after: end)...].split(separator: " ")
  }
}
