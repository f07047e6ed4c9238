import CarillonJSON

extension AdaptivePriority {
  init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "minSamples": try reader.update(&minSamples, in: 1...1_000_000)
      case "maxShift": try reader.update(&maxShift, in: 0...PolicyLimits.priority.upperBound)
      case "halfLifeDays": try reader.update(&halfLifeDays, in: 1...3650)
      default: throw reader.unknownMember(name)
      }
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("minSamples", minSamples)
      writer.member("maxShift", maxShift)
      writer.member("halfLifeDays", halfLifeDays)
    }
  }
}

extension FatigueRule {
  init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "capScale":
        try reader.update(&capScale) { (reader) throws(JSONError) in try reader.double(in: 0...1) }
      case "minPriority": try reader.update(&minPriority, in: PolicyLimits.priority)
      case "recoveryDays": try reader.update(&recoveryDays, in: 1...366)
      default: throw reader.unknownMember(name)
      }
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("capScale", capScale)
      writer.member("minPriority", minPriority)
      writer.member("recoveryDays", recoveryDays)
    }
  }
}

extension PrimingRule {
  /// Which permission the dialog asks for.
  public static let levels = ["authorized", "provisional"]

  init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "actions": actions = try reader.optional(PrimingRule.readActions)
      case "cooldown": try reader.update(&cooldown, in: 0...PolicyLimits.longestWait)
      case "maxPostpones": try reader.update(&maxPostpones, in: 0...1000)
      case "level" where try reader.null(): break
      case "level":
        level = try reader.string()
        guard PrimingRule.levels.contains(level) else {
          throw reader.error(
            code: JSONError.invalidValue,
            detail: "\"\(level)\" is not one of \(PrimingRule.levels.joined(separator: ", "))")
        }
      default: throw reader.unknownMember(name)
      }
    }
  }

  private static func readActions(_ reader: inout JSONReader) throws(JSONError) -> [String] {
    var actions: [String] = []
    try reader.array { (reader) throws(JSONError) in
      actions.append(try reader.plainText(bytes: PolicyLimits.nameBytes))
      try reader.limit(actions.count, to: PolicyLimits.mostActions)
    }
    return actions
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let actions { writer.member("actions", actions) }
      writer.member("cooldown", cooldown)
      writer.member("maxPostpones", maxPostpones)
      writer.member("level", level)
    }
  }
}

extension WakeRule {
  init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "enabled": try reader.update(&enabled)
      case "lead": try reader.update(&lead, in: 0...PolicyLimits.longestWait)
      case "perHour": try reader.update(&perHour, in: 1...60)
      default: throw reader.unknownMember(name)
      }
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("enabled", enabled)
      writer.member("lead", lead)
      writer.member("perHour", perHour)
    }
  }
}

extension RescueRule {
  init(from reader: inout JSONReader, named: inout [(name: String, place: Int)]) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "enabled": try reader.update(&enabled)
      case "types": if try !reader.null() { types = try reader.typeNames(into: &named) }
      case "grace": try reader.update(&grace, in: 0...86_400)
      default: throw reader.unknownMember(name)
      }
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("enabled", enabled)
      writer.member("types", types)
      writer.member("grace", grace)
    }
  }
}

extension JSONWriter {
  mutating func member(_ name: StaticString, _ texts: [String]) {
    self.name(name)
    beginArray()
    for text in texts { string(text) }
    endArray()
  }
}
