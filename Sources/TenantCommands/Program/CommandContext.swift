import CarillonModel
import CarillonOptions
import Glibc

/// What a command gets to work with.
struct CommandContext: Sendable {
  var values: OptionValues
  var console: Console
  var environment: [String: String]

  var format: OutputFormat { values[CommonOptions.output] }

  /// Who acts, as the audit log keeps it.
  var operatorName: String {
    let names = [
      values[CommonOptions.operatorName], environment["SUDO_USER"], environment["USER"],
      environment["LOGNAME"],
    ]
    return names.compactMap(\.self).first { !$0.isEmpty } ?? "uid \(getuid())"
  }

  func print(_ report: Report) throws(CommandFailure) {
    try console.write(report.text(format, style: console.style))
  }

  /// The one place where a command reads the clock.
  func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Returns when whoever runs the command has said that it shall happen: by `--yes`, or by typing the name of
  /// what is at stake.
  ///
  /// - Parameter consequence: goes on "This would …".
  func confirm(_ consequence: String, typing name: String) throws(CommandFailure) {
    if values[CommonOptions.yes] { return }
    let prompt = console.isInteractive ? "This would \(consequence). Type '\(name)' to go on: " : ""
    guard console.ask(prompt) == name else {
      throw CommandFailure(
        .usage, "nothing was changed: this would \(consequence), and nobody confirmed it",
        "Say --yes, or type '\(name)' when asked")
    }
  }
}

/// What runs a command.
typealias CommandAction = @Sendable (CommandContext) async throws -> ExitCode
