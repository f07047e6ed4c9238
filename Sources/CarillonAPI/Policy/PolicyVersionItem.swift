import CarillonJSON
import CarillonModel

/// A line of a policy's history.
public struct PolicyVersionItem: Hashable, Sendable {
  public var version: Int
  public var createdAt: Instant
  /// Of the document.
  public var bytes: Int

  public init(version: Int, createdAt: Instant, bytes: Int) {
    self.version = version
    self.createdAt = createdAt
    self.bytes = bytes
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("version", version)
      writer.member("createdAt", createdAt)
      writer.member("bytes", bytes)
    }
  }

  public init(from reader: inout JSONReader) throws(JSONError) {
    var version: Int?
    var createdAt: Instant?
    var bytes = 0
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "version": version = try reader.int()
      case "createdAt": createdAt = try reader.instant()
      case "bytes": bytes = try reader.int()
      default: try reader.skip()
      }
    }
    guard let version else { throw reader.missingMember("version") }
    guard let createdAt else { throw reader.missingMember("createdAt") }
    self.init(version: version, createdAt: createdAt, bytes: bytes)
  }
}
