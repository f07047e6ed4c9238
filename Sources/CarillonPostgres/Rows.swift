/// The rows of one statement, read in place from libpq's memory. Immutable.
///
/// A column is named by its index. Asking for a type the column does not have, or for the value of a null, is
/// a programmer's error and traps.
public final class Rows: @unchecked Sendable {
  // Unchecked: owns one PGresult that nothing changes after it has been received.

  public var count: Int { fatalError() }
  /// Rows the command changed (INSERT, UPDATE, DELETE), else 0.
  public var affected: Int { fatalError() }

  public func isNull(_ row: Int, _ column: Int) -> Bool { fatalError() }
  public func uuid(_ row: Int, _ column: Int) -> (high: UInt64, low: UInt64) { fatalError() }
  public func text(_ row: Int, _ column: Int) -> String { fatalError() }
  /// bytea, text, json or jsonb (without its version byte).
  public func bytes(_ row: Int, _ column: Int) -> [UInt8] { fatalError() }
  /// As ``bytes(_:_:)``, without a copy; valid during `body` only.
  public func withBytes<R>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows
    -> R
  {
    fatalError()
  }
  /// int2, int4 or int8.
  public func int(_ row: Int, _ column: Int) -> Int64 { fatalError() }
  public func bool(_ row: Int, _ column: Int) -> Bool { fatalError() }
  /// Milliseconds since 1970.
  public func timestamptz(_ row: Int, _ column: Int) -> Int64 { fatalError() }
  public func textArray(_ row: Int, _ column: Int) -> [String] { fatalError() }
}
