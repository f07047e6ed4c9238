import CPostgres
import Glibc

/// The folder of a cluster, and who may use it:
///
///     lock            held by the process that runs the cluster
///     data/           what initdb made
///     postgres.log    what the server printed
///     socket/         the server's unix socket, or
///     socket-folder   where the socket is when the path is too long for one
struct ClusterFolder: Sendable {
  /// `sockaddr_un` holds 108 bytes, one of them the end.
  static let maximumSocketPathBytes = 107
  static let port = 5432
  /// A log that is longer when the server starts is put aside, and the one put aside before is dropped.
  static let maximumLogBytes = 10 << 20

  let path: String
  let user: ChildProgram.User?

  var data: String { "\(path)/data" }
  var log: String { "\(path)/postgres.log" }
  var version: String? { TextFile.lines("\(data)/PG_VERSION")?.first.map(String.init) }
  var hasData: Bool { TextFile.exists("\(data)/PG_VERSION") }
  private var socketRecord: String { "\(path)/socket-folder" }

  /// The user the server runs as: `postgres` when we are root, which the server refuses to be.
  static func serverUser() throws(LocalClusterError) -> ChildProgram.User? {
    guard geteuid() == 0 else { return nil }
    guard let entry = getpwnam("postgres") else {
      throw LocalClusterError(
        .userMissing,
        "PostgreSQL does not run as root and there is no user postgres: make one, or start as another user")
    }
    return ChildProgram.User(id: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
  }

  /// Makes the folder when it is absent, and gives it to the server's user alone.
  init(making path: String) throws(LocalClusterError) {
    self.user = try Self.serverUser()
    var partial = ""
    let absolute = path.hasPrefix("/") ? path : Self.workingFolder + "/" + path
    for part in absolute.split(separator: "/") {
      partial += "/\(part)"
      if mkdir(partial, 0o755) != 0 && errno != EEXIST {
        throw Self.unusable(partial, "cannot be made: \(String(cString: strerror(errno)))")
      }
    }
    self.path = partial
    try own(partial)
    try checkAncestors()
  }

  /// Only to look: nothing is made or changed.
  init(reading path: String) {
    self.path = path
    self.user = nil
  }

  private static var workingFolder: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func unusable(_ path: String, _ reason: String) -> LocalClusterError {
    LocalClusterError(.folderUnusable, "\(path) \(reason); choose another folder for the data")
  }

  private func own(_ folder: String) throws(LocalClusterError) {
    if let user, chown(folder, user.id, user.group) != 0 {
      throw Self.unusable(folder, "cannot be given to the user postgres")
    }
    if chmod(folder, 0o700) != 0 { throw Self.unusable(folder, "belongs to another user") }
  }

  /// The server's user must be able to walk down to the folder.
  private func checkAncestors() throws(LocalClusterError) {
    guard let user else { return }
    var ancestor = path[...]
    while let slash = ancestor.lastIndex(of: "/"), slash > ancestor.startIndex {
      ancestor = ancestor[..<slash]
      var status = stat()
      guard stat(String(ancestor), &status) == 0 else { continue }
      let needed: mode_t =
        status.st_uid == user.id ? 0o100 : status.st_gid == user.group ? 0o010 : 0o001
      if status.st_mode & needed == 0 {
        throw Self.unusable(String(ancestor), "cannot be entered by the user postgres")
      }
    }
  }

  // MARK: One process at a time

  /// Takes the folder's lock; returns the open file that holds it.
  func lock() throws(LocalClusterError) -> Int32 {
    let descriptor = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.unusable("\(path)/lock", "cannot be opened") }
    if cpostgres_lock(descriptor) != 0 {
      close(descriptor)
      throw inUse(pid: postmaster?.pid)
    }
    return descriptor
  }

  func inUse(pid: pid_t?) -> LocalClusterError {
    let holder = pid.map { " (its server has pid \($0))" } ?? ""
    return LocalClusterError(
      .folderInUse,
      "\(path) is in use by another process\(holder): stop that one, connect to it, or choose another folder")
  }

  /// What `postmaster.pid` says: pid, data folder, start time, port, socket folder, address, memory, status.
  struct Postmaster {
    let pid: pid_t
    let socketFolder: String
    let isReady: Bool
  }

  /// The server that runs on the data now. A file left behind, whose pid is nobody's or another program's by
  /// now, counts as none.
  var postmaster: Postmaster? {
    guard let lines = TextFile.lines("\(data)/postmaster.pid"), let pid = lines.first.flatMap({ pid_t($0) }),
      ProcessTable.isRunning(pid)
    else { return nil }
    // The postmaster works in its data folder.
    if let folder = ProcessTable.workingFolder(of: pid), folder != resolvedData { return nil }
    return Postmaster(
      pid: pid, socketFolder: lines.count > 4 ? String(lines[4]) : "",
      isReady: lines.count > 7 && lines[7].hasPrefix("ready"))
  }

  private var resolvedData: String {
    guard let resolved = realpath(data, nil) else { return data }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// With the lock held: waits while a server whose owner is gone ends, then forgets a stale `postmaster.pid`
  /// (PostgreSQL itself refuses when its pid belongs to another program by now, or to a zombie that nobody reaps).
  func clearStalePostmaster(waiting limit: Duration) throws(LocalClusterError) {
    if !BlockingWork.wait(atMost: limit, until: { postmaster == nil }) { throw inUse(pid: postmaster?.pid) }
    try endOrphans()
    unlink("\(data)/postmaster.pid")
  }

  /// The processes of a server whose postmaster was killed. Each ends when it next looks up from its work, which may
  /// take long; until then PostgreSQL lets no other server have the data.
  private func endOrphans() throws(LocalClusterError) {
    let folder = resolvedData
    func orphans() -> [pid_t] { ProcessTable.programs(named: "postgres", workingIn: folder) }
    if orphans().isEmpty { return }
    for (signal, patience) in [(0, 1), (SIGQUIT, 5), (SIGKILL, 5)] as [(Int32, Int)] {
      for orphan in orphans() { kill(orphan, signal) }
      if BlockingWork.wait(atMost: .seconds(patience), until: { orphans().isEmpty }) { return }
    }
    throw inUse(pid: orphans().first)
  }

  /// With the lock held and no server on the data: its socket's lock file is judged as `postmaster.pid` is.
  func clearStaleSocket(in folder: String) {
    let socket = "\(folder)/.s.PGSQL.\(Self.port)"
    unlink(socket)
    unlink(socket + ".lock")
  }

  // MARK: Files

  /// Opens the log for appending.
  func openLog() throws(LocalClusterError) -> Int32 {
    var status = stat()
    if stat(log, &status) == 0, status.st_size > Self.maximumLogBytes { rename(log, log + ".1") }
    let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.unusable(log, "cannot be written") }
    if let user { fchown(descriptor, user.id, user.group) }
    return descriptor
  }

  /// The folder for the socket: inside when the path is short enough, else a private one in the folder for
  /// temporary files, written down so that it is found again.
  func makeSocketFolder() throws(LocalClusterError) -> String {
    let inside = "\(path)/socket"
    if "\(inside)/.s.PGSQL.\(Self.port)".utf8.count <= Self.maximumSocketPathBytes {
      if mkdir(inside, 0o700) != 0 && errno != EEXIST { throw Self.unusable(inside, "cannot be made") }
      try own(inside)
      return inside
    }
    if let recorded = TextFile.read(socketRecord), isPrivate(recorded) { return recorded }
    var template = Array("/tmp/carillon-socket-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Self.unusable("/tmp", "takes no folder for the socket") }
    let made = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    try own(made)
    guard TextFile.write(made, to: socketRecord) else {
      throw Self.unusable(socketRecord, "cannot be written")
    }
    return made
  }

  private func isPrivate(_ folder: String) -> Bool {
    var status = stat()
    return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_mode & 0o777 == 0o700 && status.st_uid == user?.id ?? geteuid()
  }
}
