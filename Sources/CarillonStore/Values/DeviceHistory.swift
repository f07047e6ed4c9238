/// What one sync adds to the history of a device; `carillon.record_history` takes it in.
public struct DeviceHistory: Hashable, Sendable {
  public init() {}

  /// The function's parameter: a JSON object.
  var document: [UInt8] { Array("{}".utf8) }
}
