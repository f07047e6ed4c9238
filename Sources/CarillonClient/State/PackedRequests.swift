import CarillonAPI
import CarillonJSON
import CarillonModel

/// Requests of a plan as the bytes in which they are stored. A device that has nothing to do looks at none of them; taken
/// apart they would have twice the size.
struct PackedRequests: Hashable, Sendable {
  /// A JSON array.
  let bytes: [UInt8]
  /// Of ids and revisions: what a report of these and no others has, too.
  let marks: UInt64

  init(_ requests: [SyncAddition]) {
    var writer = JSONWriter()
    writer.array { writer in for request in requests { request.write(to: &writer) } }
    // Without the room in which it was written.
    bytes = Array(writer.bytes[...])
    marks = Self.marks(requests.map { ($0.id, $0.revision) })
  }

  /// What cannot be read is not known, and the next sync tells it anew.
  var requests: [SyncAddition] {
    let read = try? JSONReader.read(bytes, limits: ClientState.limits) { (reader) throws(JSONError) in
      try Self.read(&reader)
    }
    return read ?? []
  }

  static func read(_ reader: inout JSONReader) throws(JSONError) -> [SyncAddition] {
    var requests: [SyncAddition] = []
    try reader.array { (reader) throws(JSONError) in requests.append(try SyncAddition(from: &reader)) }
    return requests
  }

  /// - Parameter pairs: ids and revisions in any order.
  static func marks(_ pairs: [(id: NotificationID, revision: String)]) -> UInt64 {
    var hash = StableHash()
    for pair in pairs.sorted(by: { $0.id < $1.id }) {
      for text in [pair.id.text, pair.revision] {
        hash.combine(text)
        // In no id and no revision.
        hash.combine([0])
      }
    }
    return hash.state
  }
}
