import Glibc

/// The program's three streams.
struct Console: Sendable {
  /// How standard output may be styled.
  var style: Style
  /// Whether a person sits at standard input and error.
  var isInteractive: Bool

  init(environment: [String: String]) {
    style = Style(isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment)
    isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
  }

  /// Writes the output. A reader that has gone (`| head`) is no error: it has what it wanted.
  func write(_ text: String) throws(CommandFailure) {
    guard let errno = Self.write(text, to: STDOUT_FILENO), errno != EPIPE else { return }
    throw CommandFailure(
      .error, "cannot write the output: \(String(cString: strerror(errno)))",
      "What the command did stands; free the place it writes to and read it again")
  }

  /// A line on standard error.
  func complain(_ line: String) { _ = Self.write(TerminalText.lines(line) + "\n", to: STDERR_FILENO) }

  /// On a terminal at standard error: what stood on the last line is overwritten. Elsewhere nothing.
  func replaceLine(_ line: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    _ = Self.write("\r\u{1B}[K" + TerminalText.safe(line), to: STDERR_FILENO)
  }

  /// What stands on standard error while somebody is asked.
  func ask(_ prompt: String) -> String? {
    _ = Self.write(prompt, to: STDERR_FILENO)
    return readLine()
  }

  /// Nil when all of it was written, else the error number.
  private static func write(_ text: String, to descriptor: Int32) -> Int32? {
    var text = text
    return text.withUTF8 { bytes -> Int32? in
      var start = 0
      while start < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress! + start, bytes.count - start)
        if count >= 0 {
          start += count
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }
}

extension TerminalText {
  /// Several lines, each harmless.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { safe(String($0)) }
      .joined(separator: "\n")
  }
}
