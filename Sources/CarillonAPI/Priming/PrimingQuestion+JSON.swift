import CarillonJSON
import CarillonModel

/// The body of `POST /v1/devices/{deviceId}/priming`: `{"action"?, "context"?}`.
extension PrimingQuestion {
  /// Members of newer SDKs are ignored. A context that nobody knows is refused: mistyped, it would never lead to Settings.
  ///
  /// - Throws: ``JSONError``; ``Problem`` takes it.
  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body, limits: WireLimits.syncJSON) { (reader) throws(JSONError) in
      var question = PrimingQuestion()
      try reader.object { (reader, name) throws(JSONError) in
        if try reader.null() { return }
        switch name {
        case "action": question.action = try reader.shortText()
        case "context":
          let context = try reader.shortText()
          guard PrimingQuestion.contexts.contains(context) else {
            throw reader.error(
              code: JSONError.invalidValue,
              detail: "'\(context)' is no context; known: \(PrimingQuestion.contexts.joined(separator: ", "))"
            )
          }
          question.context = context
        default: try reader.skip()
        }
      }
      return question
    }
  }

  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      if let action { writer.member("action", action) }
      if let context { writer.member("context", context) }
    }
    return writer.bytes
  }
}

extension PrimingDecision {
  /// The answer as a client reads it.
  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body) { (reader) throws(JSONError) in try PrimingDecision(from: &reader) }
  }
}
