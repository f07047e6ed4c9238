import CarillonJSON
import CarillonModel

extension PlanPreview {
  /// The plan of the wire, with contents, `diff` and what was refused. Every member is there, empty arrays too.
  var json: [UInt8] {
    var writer = JSONWriter(capacity: 1 << 16)
    do {
      try PlanEncoder.write(
        plan, rejected: rejected, diff: diff, contents: { queue[$0]?.content.canonicalBytes }, to: &writer)
    } catch {
      // The contents are our own writing.
      fatalError("a content cannot be read again: \(error)")
    }
    return writer.bytes
  }
}
