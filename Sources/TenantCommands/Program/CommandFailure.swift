/// Why a command did not do what was asked, and what to do about it. Printed as
/// `tenantctl: what happened. What to do.`; holds nothing secret.
struct CommandFailure: Error, Hashable {
  var code: ExitCode
  /// Without the full stop.
  var problem: String
  /// A sentence without the full stop; empty when nothing can be done.
  var remedy: String

  init(_ code: ExitCode, _ problem: String, _ remedy: String = "") {
    self.code = code
    self.problem = problem
    self.remedy = remedy
  }

  var message: String {
    "tenantctl: \(Self.sentence(problem))\(remedy.isEmpty ? "" : " " + Self.sentence(remedy))"
  }

  private static func sentence(_ text: String) -> String {
    guard let last = text.last, !".?!".contains(last) else { return text }
    return text + "."
  }
}
