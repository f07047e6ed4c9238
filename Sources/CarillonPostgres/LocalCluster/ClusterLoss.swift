import CPostgres
import Glibc

/// A server that has ended although nobody stopped it.
public struct ClusterLoss: Sendable, CustomStringConvertible {
  /// Of the postmaster.
  public let pid: Int32
  /// Its exit code, or less than zero for the signal that ended it.
  public let status: Int32
  /// What the server printed.
  public let log: String

  public var description: String {
    let end = status < 0 ? "was ended by signal \(-status)" : "ended with exit code \(status)"
    return "PostgreSQL (process \(pid)) \(end); its log is \(log)"
  }
}

extension LocalCluster {
  /// Returns when the server has ended: how it did, or nil when it was stopped through this object.
  public func waitForLoss() async -> ClusterLoss? {
    guard let (pid, log) = running else { return nil }
    // A thread that waits in the kernel: nothing is asked again and again.
    guard let status = try? await BlockingWork.run({ cpostgres_await_end(pid) }), running != nil else {
      return nil
    }
    return ClusterLoss(pid: pid, status: status, log: log)
  }
}
