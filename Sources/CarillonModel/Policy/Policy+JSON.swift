import CarillonJSON

extension Policy {
  /// Reads the whole document strictly: a member nobody knows is refused, as a typo here loses reminders; so is what
  /// cannot hold together.
  public init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var typesPlace: Int?
    var named: [(name: String, place: Int)] = []
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "slots": try reader.update(&slots, in: PolicyLimits.slots)
      case "horizonDays": try reader.update(&horizonDays, in: PolicyLimits.horizonDays)
      case "order": try reader.update(&order)
      case "types":
        types = try reader.optional(Policy.readTypes)
        typesPlace = reader.place
      case "quietHours":
        quietHours = try reader.optional { (reader) throws(JSONError) in try QuietHours(from: &reader) }
      case "frequencyCaps": if try !reader.null() { try readCaps(&reader, named: &named) }
      case "adaptivePriority":
        adaptivePriority = try reader.optional { (reader) throws(JSONError) in
          try AdaptivePriority(from: &reader)
        }
      case "fatigue":
        fatigue = try reader.optional { (reader) throws(JSONError) in try FatigueRule(from: &reader) }
      case "priming":
        try reader.update(&priming) { (reader) throws(JSONError) in try PrimingRule(from: &reader) }
      case "wake": try reader.update(&wake) { (reader) throws(JSONError) in try WakeRule(from: &reader) }
      case "rescue": if try !reader.null() { rescue = try RescueRule(from: &reader, named: &named) }
      case "unreachable": try reader.update(&unreachable)
      case "locationSlots": try reader.update(&locationSlots, in: PolicyLimits.locationSlots)
      default: throw reader.unknownMember(name)
      }
    }
    let known = Set(typesInForce.map(\.name) + [NotificationType.unknown.name])
    for (name, place) in named where !known.contains(name) {
      throw reader.error(
        code: JSONError.invalidValue,
        detail: "there is no type \"\(name)\"; there are \(known.sorted().joined(separator: ", "))", at: place
      )
    }
    let reserved = typesInForce.reduce(0) { $0 + ($1.reserve ?? 0) }
    if reserved > slots {
      throw reader.error(
        code: ModelError.contradictoryPolicy,
        detail: "the reserves add up to \(reserved), more than \(slots) slots",
        at: typesPlace ?? reader.place)
    }
  }

  public init(parsing bytes: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(bytes) { (reader) throws(JSONError) in try Policy(from: &reader) }
  }

  private static func readTypes(_ reader: inout JSONReader) throws(JSONError) -> [NotificationType] {
    var types: [NotificationType] = []
    var names: Set<String> = []
    var prefixes: Set<[UInt8]> = []
    try reader.array { (reader) throws(JSONError) in
      let type = try NotificationType(from: &reader, prefixes: &prefixes)
      guard names.insert(type.name).inserted else {
        throw reader.error(
          code: ModelError.contradictoryPolicy, detail: "there are two types \"\(type.name)\"", member: "name"
        )
      }
      types.append(type)
      try reader.limit(types.count, to: PolicyLimits.mostTypes)
    }
    return types
  }

  private mutating func readCaps(
    _ reader: inout JSONReader, named: inout [(name: String, place: Int)]
  ) throws(JSONError) {
    try reader.array { (reader) throws(JSONError) in
      frequencyCaps.append(try FrequencyCap(from: &reader, named: &named))
      try reader.limit(frequencyCaps.count, to: PolicyLimits.mostCaps)
    }
  }
}

extension JSONReader {
  /// For lists: one named bound each.
  borrowing func limit(_ count: Int, to most: Int) throws(JSONError) {
    guard count <= most else { throw error(code: JSONError.outOfRange, detail: "more than \(most) of them") }
  }

  /// Names of types, to be checked when all types are known.
  mutating func typeNames(
    into named: inout [(name: String, place: Int)]
  ) throws(JSONError) -> [String] {
    var names: [String] = []
    try array { (reader) throws(JSONError) in
      let name = try reader.string()
      names.append(name)
      named.append((name, reader.place))
      try reader.limit(names.count, to: PolicyLimits.mostTypes)
    }
    return names
  }
}

extension NotificationType {
  init(from reader: inout JSONReader, prefixes taken: inout Set<[UInt8]>) throws(JSONError) {
    self.init(name: "", priority: -1)
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "name": self.name = try reader.plainText(bytes: PolicyLimits.nameBytes)
      case "prefixes" where try reader.null(): break
      case "prefixes":
        try reader.array { (reader) throws(JSONError) in
          let prefix = try reader.plainText(bytes: PolicyLimits.nameBytes)
          guard taken.insert(Array(prefix.utf8)).inserted else {
            throw reader.error(
              code: ModelError.contradictoryPolicy, detail: "the prefix \"\(prefix)\" is there twice")
          }
          prefixes.append(prefix)
          try reader.limit(prefixes.count, to: PolicyLimits.mostPrefixes)
        }
      case "priority": priority = try reader.int(in: PolicyLimits.priority)
      case "reserve": reserve = try reader.optionalInt(in: 0...PolicyLimits.slots.upperBound)
      case "limit": limit = try reader.optionalInt(in: 0...PolicyLimits.slots.upperBound)
      case "quietHours": try reader.update(&quietHours)
      case "cap": try reader.update(&cap)
      case "capExempt": try reader.update(&capExempt)
      case "adaptive": try reader.update(&adaptive)
      case "digest": try reader.update(&digest)
      default: throw reader.unknownMember(name)
      }
    }
    if self.name.isEmpty { throw reader.missingMember("name") }
    if priority < 0 { throw reader.missingMember("priority") }
    if let reserve, let limit, reserve > limit {
      throw reader.error(
        code: ModelError.contradictoryPolicy, detail: "reserve \(reserve) is more than limit \(limit)",
        member: "reserve")
    }
  }
}

extension FrequencyCap {
  init(from reader: inout JSONReader, named: inout [(name: String, place: Int)]) throws(JSONError) {
    var limit: Int?
    var per: Window?
    var types: [String]?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "limit": limit = try reader.int(in: PolicyLimits.capLimit)
      case "per":
        if try reader.peek() == .string {
          guard try reader.string() == "calendarDay" else {
            throw reader.error(code: JSONError.invalidValue, detail: "expected seconds or \"calendarDay\"")
          }
          per = .calendarDay
        } else {
          per = .rolling(seconds: try reader.int(in: PolicyLimits.capSeconds))
        }
      case "types":
        if try !reader.null() {
          types = try reader.typeNames(into: &named)
          if types == [] {
            throw reader.error(
              code: JSONError.outOfRange, detail: "a cap of no type; leave it out for all types")
          }
        }
      default: throw reader.unknownMember(name)
      }
    }
    guard let limit else { throw reader.missingMember("limit") }
    guard let per else { throw reader.missingMember("per") }
    self.init(limit: limit, per: per, types: types)
  }
}
