import Glibc

enum ProcessEnvironment {
  /// The variables of this process. Where a name stands twice the first counts, as for `getenv`.
  static func current() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee.map({ String(cString: $0) }) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, variables[String(parts[0])] == nil {
        variables[String(parts[0])] = String(parts[1])
      }
      entry += 1
    }
    return variables
  }
}
