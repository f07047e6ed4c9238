import CarillonJSON

extension CalendarComponents {
  /// The years that a trigger may name.
  static let years = 2000...2199

  /// Reads a set as a device sends it: what every Apple device adds without meaning (`quarter` 0, `era` 1,
  /// `nanosecond`, `isLeapMonth`, `calendar` gregorian) is left out, other units are refused, and no value is coerced.
  init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "year": year = try reader.optionalInt(in: CalendarComponents.years)
      case "month": month = try reader.optionalInt(in: 1...12)
      case "day": day = try reader.optionalInt(in: 1...31)
      case "hour": hour = try reader.optionalInt(in: 0...23)
      case "minute": minute = try reader.optionalInt(in: 0...59)
      case "second": second = try reader.optionalInt(in: 0...59)
      case "weekday": weekday = try reader.optionalInt(in: 1...7)
      case "weekdayOrdinal": weekdayOrdinal = try reader.optionalInt(in: 1...5)
      case "weekOfMonth": weekOfMonth = try reader.optionalInt(in: 1...6)
      case "weekOfYear": weekOfYear = try reader.optionalInt(in: 1...53)
      case "yearForWeekOfYear": yearForWeekOfYear = try reader.optionalInt(in: CalendarComponents.years)
      case "quarter": _ = try reader.optionalInt(in: 0...0)
      case "era": _ = try reader.optionalInt(in: 1...1)
      case "nanosecond": _ = try reader.optionalInt(in: 0...999_999_999)
      case "isLeapMonth": _ = try reader.null() ? false : try reader.bool()
      case "calendar": try CalendarComponents.checkCalendar(&reader)
      default: throw reader.unknownMember(name)
      }
    }
  }

  private static func checkCalendar(_ reader: inout JSONReader) throws(JSONError) {
    guard let name = try reader.optionalString(), name != "gregorian" else { return }
    throw reader.error(
      code: ModelError.unsupportedCalendar,
      detail: "only the gregorian calendar is supported, not \"\(name)\"")
  }

  func writeCanonical(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("day", ifPresent: day)
    writer.member("hour", ifPresent: hour)
    writer.member("minute", ifPresent: minute)
    writer.member("month", ifPresent: month)
    writer.member("second", ifPresent: second)
    writer.member("weekOfMonth", ifPresent: weekOfMonth)
    writer.member("weekOfYear", ifPresent: weekOfYear)
    writer.member("weekday", ifPresent: weekday)
    writer.member("weekdayOrdinal", ifPresent: weekdayOrdinal)
    writer.member("year", ifPresent: year)
    writer.member("yearForWeekOfYear", ifPresent: yearForWeekOfYear)
    writer.endObject()
  }
}

extension CalendarTrigger {
  init(from reader: inout JSONReader) throws(JSONError) {
    self.init(components: CalendarComponents(), repeats: false)
    var componentsPlace: Int?
    var endPlace = reader.place
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "kind": try reader.skip()
      case "components":
        components = try CalendarComponents(from: &reader)
        componentsPlace = reader.place
      case "repeats": try reader.update(&repeats)
      case "timeZone": timeZone = try reader.optional { (reader) throws(JSONError) in try reader.zoneName() }
      case "onMissingDay": try reader.update(&onMissingDay)
      case "startsAt":
        startsAt = try reader.optional { (reader) throws(JSONError) in try reader.localBound() }
      case "endsAt":
        endsAt = try reader.optional { (reader) throws(JSONError) in try reader.localBound() }
        endPlace = reader.place
      default: throw reader.unknownMember(name)
      }
    }
    guard let componentsPlace else { throw reader.missingMember("components") }
    switch components.simplify(onMissingDay: onMissingDay) {
    case nil: break
    case .empty:
      throw reader.error(code: ModelError.emptyComponents, detail: "no component is set", at: componentsPlace)
    case .impossible(let detail):
      throw reader.error(
        code: ModelError.impossibleComponents, detail: "this can never match: \(detail)", at: componentsPlace)
    case .contradictory:
      throw reader.error(
        code: ModelError.contradictoryComponents,
        detail: "the weekday or week is not that of the full date; leave it out", at: componentsPlace)
    }
    if let startsAt, let endsAt, endsAt.wallTime <= startsAt.wallTime {
      throw reader.error(code: ModelError.emptySpan, detail: "endsAt is not after startsAt", at: endPlace)
    }
  }

  func writeCanonical(to writer: inout JSONWriter) {
    writer.name("components")
    components.writeCanonical(to: &writer)
    if let endsAt { writer.member("endsAt", endsAt) }
    writer.member("kind", "calendar")
    if onMissingDay != .skip { writer.member("onMissingDay", onMissingDay.rawValue) }
    writer.member("repeats", repeats)
    if let startsAt { writer.member("startsAt", startsAt) }
    writer.member("timeZone", ifPresent: timeZone)
  }
}
