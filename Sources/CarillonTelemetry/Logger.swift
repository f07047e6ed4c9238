import Glibc

/// Writes events as lines of JSON, from any thread.
///
///     let logger = Logger(minimumLevel: .info, time: { clock.now.description })
///     logger.info("listening", ["port": .int(port)])
public struct Logger: Sendable {
  public var minimumLevel: LogLevel
  private let time: @Sendable () -> String
  private let write: @Sendable ([UInt8]) -> Void

  /// - Parameters:
  ///   - time: the present moment as RFC 3339.
  ///   - write: takes one whole line; standard error unless given.
  public init(
    minimumLevel: LogLevel = .info, time: @escaping @Sendable () -> String,
    write: @escaping @Sendable ([UInt8]) -> Void = Logger.standardError
  ) {
    self.minimumLevel = minimumLevel
    self.time = time
    self.write = write
  }

  public func log(
    _ level: LogLevel, _ message: String, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) {
    guard level >= minimumLevel else { return }
    write(LogLine(time: time(), level: level, message: message, fields: fields()).bytes)
  }

  public func debug(
    _ message: String, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) { log(.debug, message, fields()) }

  public func info(_ message: String, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]) {
    log(.info, message, fields())
  }

  public func notice(
    _ message: String, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) { log(.notice, message, fields()) }

  public func warning(
    _ message: String, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]
  ) { log(.warning, message, fields()) }

  public func error(_ message: String, _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:]) {
    log(.error, message, fields())
  }

  /// One `write` a line: lines of several threads and processes do not mix in a pipe or a file.
  public static let standardError: @Sendable ([UInt8]) -> Void = { line in
    // A full or closed standard error must not stop the service: the line is lost.
    _ = Glibc.write(STDERR_FILENO, line, line.count)
  }
}
