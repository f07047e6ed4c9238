import CarillonJSON

extension Trigger {
  /// Reads a trigger strictly: a member nobody knows is refused, as a typo here loses reminders.
  public init(from reader: inout JSONReader) throws(JSONError) {
    guard try reader.peek() == .object else {
      throw reader.error(code: JSONError.unexpectedType, detail: "expected a trigger, which is an object")
    }
    guard let kind = try reader.stringMember("kind") else { throw reader.missingMember("kind") }
    switch kind {
    case "instant":
      self = .instant(
        try Trigger.only(member: "at", of: &reader) { (reader) throws(JSONError) in
          try reader.triggerInstant()
        })
    case "local":
      self = .local(
        try Trigger.only(member: "at", of: &reader) { (reader) throws(JSONError) in
          try reader.triggerLocalTime()
        })
    case "calendar": self = .calendar(try CalendarTrigger(from: &reader))
    case "interval": self = .interval(try IntervalTrigger(from: &reader))
    case "recurrence": self = .recurrence(try RecurrenceTrigger(from: &reader))
    case "location": self = .location(try LocationTrigger(from: &reader))
    default:
      throw reader.error(
        code: ModelError.unknownTriggerKind,
        detail: "\"\(kind)\" is not one of instant, local, calendar, interval, recurrence, location",
        member: "kind")
    }
  }

  private static func only<R>(
    member wanted: StaticString, of reader: inout JSONReader,
    _ read: (inout JSONReader) throws(JSONError) -> R
  ) throws(JSONError) -> R {
    var result: R?
    try reader.object { (reader, name) throws(JSONError) in
      if name == wanted {
        result = try read(&reader)
      } else if name == "kind" {
        try reader.skip()
      } else {
        throw reader.unknownMember(name)
      }
    }
    guard let result else { throw reader.missingMember(wanted) }
    return result
  }

  /// Writes the canonical form, which is also the form of the wire: members sorted, defaults left out, except that
  /// `repeats` is always there.
  public func writeCanonical(to writer: inout JSONWriter) {
    writer.beginObject()
    switch self {
    case .instant(let at):
      writer.member("at", at)
      writer.member("kind", "instant")
    case .local(let at):
      writer.member("at", at)
      writer.member("kind", "local")
    case .calendar(let trigger): trigger.writeCanonical(to: &writer)
    case .interval(let trigger): trigger.writeCanonical(to: &writer)
    case .recurrence(let trigger): trigger.writeCanonical(to: &writer)
    case .location(let trigger): trigger.writeCanonical(to: &writer)
    }
    writer.endObject()
  }

  public var canonicalBytes: [UInt8] {
    var writer = JSONWriter(capacity: 96)
    writeCanonical(to: &writer)
    return writer.bytes
  }
}

extension IntervalTrigger {
  /// What Apple asks of a repeating interval; less makes the app crash.
  public static let shortestRepeating = 60.0
  /// The whole span that triggers may name, 200 years: anything longer never comes.
  public static let longest = 6_311_433_600.0

  init(from reader: inout JSONReader) throws(JSONError) {
    self.init(seconds: 0, repeats: false)
    var secondsPlace: Int?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "kind": try reader.skip()
      case "seconds":
        seconds = try reader.double()
        secondsPlace = reader.place
      case "repeats": try reader.update(&repeats)
      case "anchor":
        anchor = try reader.optional { (reader) throws(JSONError) in try reader.triggerInstant() }
      default: throw reader.unknownMember(name)
      }
    }
    guard let secondsPlace else { throw reader.missingMember("seconds") }
    if !(seconds > 0 && seconds <= IntervalTrigger.longest) {
      throw reader.error(
        code: ModelError.invalidInterval, detail: "an interval is above 0 and at most 200 years",
        at: secondsPlace)
    }
    if repeats, seconds < IntervalTrigger.shortestRepeating {
      throw reader.error(
        code: ModelError.invalidInterval, detail: "a repeating interval is at least 60 seconds",
        at: secondsPlace)
    }
  }

  func writeCanonical(to writer: inout JSONWriter) {
    if let anchor { writer.member("anchor", anchor) }
    writer.member("kind", "interval")
    writer.member("repeats", repeats)
    writer.member("seconds", seconds)
  }
}

extension LocationTrigger {
  init(from reader: inout JSONReader) throws(JSONError) {
    self.init(latitude: 0, longitude: 0, radius: 0)
    var required: Set<String> = ["latitude", "longitude", "radius"]
    var edgePlace = reader.place
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "kind": try reader.skip()
      case "latitude":
        latitude = try LocationTrigger.degrees(&reader, upTo: 90)
        required.remove("latitude")
      case "longitude":
        longitude = try LocationTrigger.degrees(&reader, upTo: 180)
        required.remove("longitude")
      case "radius":
        radius = try reader.double()
        required.remove("radius")
        guard radius > 0 else {
          throw reader.error(code: ModelError.invalidRegion, detail: "a radius is above 0 metres")
        }
      case "onEntry":
        try reader.update(&onEntry)
        edgePlace = reader.place
      case "onExit": try reader.update(&onExit)
      case "repeats": try reader.update(&repeats)
      case "distance":
        distance = try reader.optional { (reader) throws(JSONError) in
          try reader.double(in: 0...Double.greatestFiniteMagnitude)
        }
      default: throw reader.unknownMember(name)
      }
    }
    if required.contains("latitude") { throw reader.missingMember("latitude") }
    if required.contains("longitude") { throw reader.missingMember("longitude") }
    if required.contains("radius") { throw reader.missingMember("radius") }
    guard onEntry || onExit else {
      throw reader.error(
        code: ModelError.invalidRegion, detail: "neither onEntry nor onExit: it would never fire",
        at: edgePlace)
    }
  }

  private static func degrees(_ reader: inout JSONReader, upTo most: Double) throws(JSONError) -> Double {
    let value = try reader.double()
    guard (-most...most).contains(value) else {
      throw reader.error(code: ModelError.invalidRegion, detail: "\(value) is outside -\(most)...\(most)")
    }
    return value
  }

  func writeCanonical(to writer: inout JSONWriter) {
    if let distance { writer.member("distance", distance) }
    writer.member("kind", "location")
    writer.member("latitude", latitude)
    writer.member("longitude", longitude)
    writer.member("onEntry", onEntry)
    writer.member("onExit", onExit)
    writer.member("radius", radius)
    writer.member("repeats", repeats)
  }
}
