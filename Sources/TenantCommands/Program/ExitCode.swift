/// What `tenantctl` tells its caller; part of the contract, never renumbered.
public enum ExitCode: Int32, Sendable, CaseIterable {
  case ok = 0
  case error = 1
  case usage = 2
  /// There are differences, or changes wait to be made.
  case differences = 3
  case notAllowed = 4
  case notFound = 5
  case conflict = 6
  /// Some items were refused; the others were done.
  case partFailed = 8
}
