/// One SQL statement with its parameters, ready to be sent in binary form.
public struct Statement: Sendable {
  /// The statement's text and the name under which a connection keeps it prepared.
  public struct Source: Hashable, Sendable {
    public let name: String
    public let sql: String

    public init(name: String, sql: String) {
      self.name = name
      self.sql = sql
    }
  }

  public let source: Source
  public let parameters: Parameters

  public init(_ source: Source, _ parameters: Parameters = Parameters()) {
    self.source = source
    self.parameters = parameters
  }
}

/// Parameters `$1`, `$2` … in binary form, appended in order.
public struct Parameters: Sendable {
  public init() {}

  public mutating func uuid(high: UInt64, low: UInt64) { fatalError() }
  public mutating func text(_ value: String?) { fatalError() }
  public mutating func bytea(_ value: [UInt8]?) { fatalError() }
  /// UTF-8 JSON text; PostgreSQL checks it.
  public mutating func jsonb(_ value: [UInt8]?) { fatalError() }
  public mutating func int4(_ value: Int32?) { fatalError() }
  public mutating func int8(_ value: Int64?) { fatalError() }
  public mutating func bool(_ value: Bool?) { fatalError() }
  /// Milliseconds since 1970, as `timestamptz`.
  public mutating func timestamptz(milliseconds: Int64?) { fatalError() }
  public mutating func uuidArray(_ values: [(high: UInt64, low: UInt64)]) { fatalError() }
  public mutating func textArray(_ values: [String?]) { fatalError() }
  public mutating func byteaArray(_ values: [[UInt8]?]) { fatalError() }
  public mutating func jsonbArray(_ values: [[UInt8]?]) { fatalError() }
  public mutating func int4Array(_ values: [Int32?]) { fatalError() }
  public mutating func int8Array(_ values: [Int64?]) { fatalError() }
  public mutating func boolArray(_ values: [Bool?]) { fatalError() }
  public mutating func timestamptzArray(milliseconds: [Int64?]) { fatalError() }
}
