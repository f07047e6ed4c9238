/// A line on a terminal that says how far long work has come; nothing where standard error is no terminal.
struct Progress: Sendable {
  private let console: Console
  private let what: String

  /// - Parameter what: as in `devices planned`.
  init(_ what: String, on console: Console) {
    self.what = what
    self.console = console
  }

  /// So many steps are one change of the line.
  static let step = 50

  func show(_ done: Int, of total: Int) {
    guard done.isMultiple(of: Self.step) || done == total else { return }
    // More may come while the work goes on.
    console.replaceLine("\(done) of \(max(done, total)) \(what)")
  }

  /// Takes the line away.
  func end() { console.replaceLine("") }
}
