import CPostgres
import Glibc

/// A running postmaster, and the watchdog that ends it when we are gone.
///
/// The watchdog is a shell that waits at one end of a pipe whose other end only we hold: however we end, the
/// kernel closes ours, and it sends the server a fast shutdown.
struct ServerProcess: Sendable {
  let postmaster: pid_t
  private let watchdog: pid_t
  private let lifeline: Int32
  private let lock: Int32
  private let folder: ClusterFolder
  /// What goes with the server.
  private let temporary: [String]

  /// Arguments: data folder, postmaster's pid, folders to remove afterwards.
  private static let watchdogScript = """
    read -r _
    data=$1; server=$2; shift 2
    runs() {
      kill -0 "$server" && read -r pid < "$data/postmaster.pid" && [ "$pid" = "$server" ]
    } 2>/dev/null
    if runs; then
      kill -INT "$server" 2>/dev/null
      tries=0
      while runs && [ $tries -lt 600 ]; do tries=$((tries + 1)); sleep 0.1; done
      runs && kill -QUIT "$server" 2>/dev/null
    fi
    [ $# -eq 0 ] || rm -rf -- "$@"
    """

  /// Starts the server. `lock` stays open for as long as the server runs.
  init(
    folder: ClusterFolder, binaries: String, socketFolder: String, lock: Int32, settings: [String: String],
    removesFolder: Bool
  ) throws(LocalClusterError) {
    let log = try folder.openLog()
    defer { close(log) }
    var ends: [Int32] = [-1, -1]
    guard cpostgres_pipe(&ends) == 0 else { throw LocalClusterError(.startFailed, "no pipe: errno \(errno)") }
    defer { close(ends[0]) }

    var all = [
      "listen_addresses": "", "port": "\(ClusterFolder.port)", "unix_socket_permissions": "0700",
      // The setting is a list: quoted, a comma in the path is part of it.
      "unix_socket_directories": "\"\(socketFolder)\"", "timezone": "UTC", "log_timezone": "UTC",
    ]
    all.merge(settings) { _, new in new }
    let arguments =
      ["-D", folder.data] + all.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
    postmaster = ChildProgram(path: "\(binaries)/postgres", arguments: arguments)
      .start(in: folder.path, as: folder.user, output: log)
    guard postmaster > 0 else {
      close(ends[1])
      throw LocalClusterError(.startFailed, "the server could not be started: errno \(-postmaster)")
    }
    temporary = removesFolder ? [folder.path, socketFolder] : []
    let watched = [folder.data, "\(postmaster)"] + temporary
    watchdog = ChildProgram(path: "/bin/sh", arguments: ["-c", Self.watchdogScript, "watchdog"] + watched)
      .start(in: "/", as: folder.user, input: ends[0], output: log)
    lifeline = ends[1]
    self.lock = lock
    self.folder = folder
  }

  var log: String { folder.log }

  /// Returns when the server answers; when it does not, ends it and says what it printed.
  func waitUntilReady(_ conninfo: String, within limit: Duration) throws(LocalClusterError) {
    var hasEnded = false
    let isReady = BlockingWork.wait(atMost: limit) {
      hasEnded = ChildProgram.hasEnded(postmaster)
      return hasEnded || PQping(conninfo) == PQPING_OK
    }
    if isReady && !hasEnded { return }
    if !hasEnded { endServer(SIGQUIT) }
    endWatchdog()
    let lastLines = (TextFile.lines(folder.log) ?? []).suffix(6).joined(separator: "\n")
    throw LocalClusterError(
      .startFailed,
      "PostgreSQL \(hasEnded ? "ended" : "did not answer in \(limit)"); its log, \(folder.log), says:\n\(lastLines)"
    )
  }

  func stop(within limit: Duration) {
    Glibc.kill(postmaster, SIGINT)
    if !BlockingWork.wait(atMost: limit, until: { ChildProgram.hasEnded(postmaster) }) { endServer(SIGQUIT) }
    finish()
  }

  func kill() {
    let children = ProcessTable.children(of: postmaster)
    endServer(SIGKILL)
    // Each would notice soon, but a new server is refused while one of them still holds the shared memory.
    for child in children { Glibc.kill(child, SIGKILL) }
    _ = BlockingWork.wait(atMost: .seconds(10)) { !children.contains(where: ProcessTable.isRunning) }
    finish()
  }

  /// Lets the watchdog end the server, and reaps both.
  func abandon() {
    let (postmaster, watchdog, lock) = (postmaster, watchdog, lock)
    close(lifeline)
    BlockingWork.detach {
      ChildProgram.waitForEnd(of: postmaster)
      if watchdog > 0 { ChildProgram.waitForEnd(of: watchdog) }
      close(lock)
    }
  }

  private func endServer(_ signal: Int32) {
    Glibc.kill(postmaster, signal)
    ChildProgram.waitForEnd(of: postmaster)
  }

  private func finish() {
    endWatchdog()
    close(lock)
  }

  private func endWatchdog() {
    close(lifeline)
    if watchdog > 0 { ChildProgram.waitForEnd(of: watchdog) }
    // The watchdog, as the server's user, may not be allowed to take the folder out of its parent.
    if !temporary.isEmpty { _ = ChildProgram(path: "/bin/rm", arguments: ["-rf", "--"] + temporary).run() }
  }
}
