import CarillonJSON
import CarillonModel

/// The answer to `GET …/plan`: the whole plan with the contents of what is held.
public struct PlanResponse: Hashable, Sendable {
  public var plan: Plan
  /// The content's JSON of each held request, by the request's id.
  public var contents: [NotificationID: [UInt8]]

  public init(plan: Plan, contents: [NotificationID: [UInt8]]) {
    self.plan = plan
    self.contents = contents
  }

  /// The body a server sends.
  ///
  /// - Parameter contents: the canonical content of a queue's entry; nil leaves it out.
  /// - Throws: ``JSONError`` when a stored content cannot be read.
  public static func json(_ plan: Plan, contents: PlanEncoder.Contents) throws(JSONError) -> [UInt8] {
    var writer = JSONWriter(capacity: 512 + 512 * plan.held.count + 96 * plan.queued.count)
    try PlanEncoder.write(plan, contents: contents, to: &writer)
    return writer.bytes
  }

  /// Reads an answer; members of newer servers are ignored.
  public init(_ body: [UInt8]) throws(JSONError) {
    let plan = try Plan.decode(body)
    var contents: [NotificationID: [UInt8]] = [:]
    try JSONReader.read(body) { (reader) throws(JSONError) in
      try reader.object { (reader, name) throws(JSONError) in
        guard name == "held" else { return try reader.skip() }
        try reader.array { (reader) throws(JSONError) in
          if let (id, content) = try Self.held(&reader) { contents[id] = content }
        }
      }
    }
    self.init(plan: plan, contents: contents)
  }

  private static func held(
    _ reader: inout JSONReader
  ) throws(JSONError) -> (NotificationID, [UInt8])? {
    var id: NotificationID?
    var content: [UInt8]?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "id": id = try reader.heldID()
      case "content":
        let range = try reader.raw()
        content = Array(reader.bytes(in: range))
      default: try reader.skip()
      }
    }
    guard let id, let content else { return nil }
    return (id, content)
  }
}

extension SyncDiff {
  /// A plan's diff with the contents it adds, badges numbered as planned.
  ///
  /// - Parameters:
  ///   - isForPlanning: whether the device plans, too, and is told what that needs.
  ///   - contents: the canonical content of a queue's entry. An addition without one is left out: its
  ///     entry went away since the plan was made, and the next sync says so.
  /// - Throws: ``JSONError`` when a stored content cannot be read.
  public init(
    _ diff: PlanDiff, of plan: Plan, isForPlanning: Bool = false, contents: PlanEncoder.Contents
  ) throws(JSONError) {
    var additions: [SyncAddition] = []
    for index in diff.add {
      let request = plan.held[index]
      guard let content = contents(request.source) else { continue }
      additions.append(
        SyncAddition(
          id: request.id, revision: request.revision, fireAt: request.fireAt, trigger: request.trigger,
          content: try request.content(from: content), type: isForPlanning ? request.type : nil,
          source: isForPlanning && request.source != request.id ? request.source : nil))
    }
    self.init(remove: diff.remove, add: additions)
  }
}
