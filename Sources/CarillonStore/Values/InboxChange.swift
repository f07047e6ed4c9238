/// What one sync changes of the inbox; `carillon.record_inbox` takes it in.
public struct InboxChange: Hashable, Sendable {
  public init() {}

  /// The function's parameter: a JSON object.
  var document: [UInt8] { Array("{}".utf8) }
}
