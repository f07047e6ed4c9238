import CarillonJSON

extension ForeignRequests {
  /// More than any system holds.
  static let mostCounted = 100_000

  public init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "count": count = try reader.int(in: 0...ForeignRequests.mostCounted)
      case "regions": try reader.update(&regions, in: 0...ForeignRequests.mostCounted)
      default: try reader.skip()
      }
    }
  }

  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("count", count)
    writer.member("regions", regions)
    writer.endObject()
  }
}

extension PendingRequest {
  /// Bytes of a revision as reported; ours have 16.
  static let longestRevision = 64

  /// What a device holds may have come from anyone: any id of up to a kilobyte is read, and what is no id of ours is
  /// foreign by that alone.
  /// - Returns: nil for an id that no notification of ours can have.
  public static func read(from reader: inout JSONReader) throws(JSONError) -> PendingRequest? {
    var id: String?
    var revision: String?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.string()
      case "revision":
        revision = try reader.optional { (reader) throws(JSONError) in
          try reader.plainText(bytes: 0...longestRevision)
        }
      default: try reader.skip()
      }
    }
    guard let id else { throw reader.missingMember("id") }
    if let known = NotificationID(id) { return PendingRequest(id: known, revision: revision) }
    // What planning made of an id of ours is longer than that.
    guard revision != nil, let made = NotificationID(made: id) else { return nil }
    return PendingRequest(id: made, revision: revision)
  }

  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id.text)
    writer.member("revision", ifPresent: revision)
    writer.endObject()
  }
}
