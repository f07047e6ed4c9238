import CarillonJSON

/// What became of each operation of a batch, in its order.
public struct BatchResponse: Hashable, Sendable {
  public var results: [BatchResult]

  public init(_ results: [BatchResult]) { self.results = results }

  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 64 + results.count * 40)
    writer.object { writer in
      writer.list("results", results) { $0.write(to: &$1) }
    }
    return writer.bytes
  }

  /// Reads an answer; members of newer servers are ignored.
  public init(_ body: [UInt8]) throws(JSONError) {
    var results: [BatchResult] = []
    try JSONReader.read(body) { (reader) throws(JSONError) in
      try reader.object { (reader, name) throws(JSONError) in
        guard name == "results" else { return try reader.skip() }
        try reader.array { (reader) throws(JSONError) in results.append(try BatchResult(from: &reader)) }
      }
    }
    self.results = results
  }
}

public struct BatchResult: Hashable, Sendable {
  public enum Status: String, Hashable, Sendable, CaseIterable {
    case stored, cancelled
    /// The queue was like that already: the same notification stands in it, or there was nothing to cancel.
    case unchanged
    case rejected
  }

  /// Of the operation, from 0.
  public var index: Int
  public var status: Status
  /// Why it was rejected.
  public var problem: ReceivedProblem?

  public init(index: Int, status: Status) {
    self.index = index
    self.status = status
  }

  public init(index: Int, rejectedBy problem: ReceivedProblem) {
    self.index = index
    status = .rejected
    self.problem = problem
  }

  public init(index: Int, rejectedBy problem: Problem) {
    self.init(index: index, rejectedBy: ReceivedProblem(problem))
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("index", index)
      writer.member("status", status.rawValue)
      if let problem {
        writer.name("problem")
        problem.write(to: &writer)
      }
    }
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var index: Int?
    var status: Status?
    var problem: ReceivedProblem?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "index": index = try reader.int(in: 0...Int.max)
      case "status":
        status = Status(rawValue: try reader.string())
        guard status != nil else {
          throw reader.error(code: JSONError.invalidValue, detail: "an unknown status")
        }
      case "problem": problem = try ReceivedProblem(from: &reader)
      default: try reader.skip()
      }
    }
    guard let index else { throw reader.missingMember("index") }
    guard let status else { throw reader.missingMember("status") }
    self.init(index: index, status: status)
    self.problem = problem
  }
}
