/// One SQL statement with its parameters, ready to be sent in binary form.
public struct Statement: Sendable {
  /// The statement's text and the name under which a connection keeps it prepared. One name stands for one
  /// text: a pool traps when it meets a second one.
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
