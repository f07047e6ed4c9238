import CarillonJSON

extension PrimingDecision {
  /// `{"step", "reason", "retryAt"?, "evidence"?: {"taps", "lastTapAt"}}`
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("step", step.rawValue)
      writer.member("reason", reason.rawValue)
      if let retryAt { writer.member("retryAt", retryAt) }
      if let evidence {
        writer.name("evidence")
        writer.object { writer in
          writer.member("taps", evidence.taps)
          writer.member("lastTapAt", evidence.lastTapAt)
        }
      }
    }
  }

  /// Of any version of the server: a step that this version does not know is nothing to do.
  public init(from reader: inout JSONReader) throws(JSONError) {
    var decision = PrimingDecision(.none, PrimingReason(rawValue: ""))
    var isThere = false
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "step":
        decision.step = PrimingStep(rawValue: try reader.string()) ?? PrimingStep.none
        isThere = true
      case "reason": decision.reason = PrimingReason(rawValue: try reader.string())
      case "retryAt": decision.retryAt = try reader.instant()
      case "evidence": decision.evidence = try PrimingEvidence(from: &reader)
      default: try reader.skip()
      }
    }
    guard isThere else { throw reader.missingMember("step") }
    self = decision
  }

  public var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }
}

extension PrimingEvidence {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    var evidence = PrimingEvidence(taps: 0, lastTapAt: Instant(milliseconds: 0))
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "taps": evidence.taps = try reader.int(in: 0...Int.max)
      case "lastTapAt": evidence.lastTapAt = try reader.instant()
      default: try reader.skip()
      }
    }
    self = evidence
  }
}
