/// Why a local cluster could not be had, and what to do about it.
public struct LocalClusterError: Error, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// PostgreSQL's programs are not installed, or not where we look.
    case binariesNotFound
    /// Another process runs a cluster in the folder.
    case folderInUse
    /// The folder cannot be made, entered or written.
    case folderUnusable
    /// We are root, and there is no user to run the server as.
    case userMissing
    /// initdb failed.
    case initFailed
    /// The server ended, or did not answer in time.
    case startFailed
  }

  public let code: Code
  /// One sentence with the remedy.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
