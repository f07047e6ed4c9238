/// The trigger's part of a head: one byte for the kind, then
///
/// - 0 instant: 8 bytes of milliseconds
/// - 1 local: 8 bytes of wall seconds
/// - 2 calendar: flags (1 repeats, 2 zone, 4 starts, 8 ends, 16 and 32 the missing-day rule), 2 bytes that say which
///   components follow, years in 2 bytes and the others in 1; zone; start and end as kind (0 date, 1 time) and wall seconds
/// - 3 interval: flags (1 repeats, 2 anchor), 8 bytes of a double, anchor
/// - 4 recurrence: flags (2 zone), start, rule with a length of 2 bytes, count in 2 bytes and exceptions, zone
/// - 5 location: flags (1 repeats, 2 distance, 4 entry, 8 exit), three or four doubles
enum TriggerCodec {
  static func encode(_ trigger: Trigger, to writer: inout ByteWriter) {
    switch trigger {
    case .instant(let at):
      writer.byte(0)
      writer.integer(at.milliseconds)
    case .local(let at):
      writer.byte(1)
      writer.integer(at.wallSeconds)
    case .calendar(let trigger):
      writer.byte(2)
      encode(trigger, to: &writer)
    case .interval(let trigger):
      writer.byte(3)
      writer.byte((trigger.repeats ? 1 : 0) | (trigger.anchor != nil ? 2 : 0))
      writer.double(trigger.seconds)
      if let anchor = trigger.anchor { writer.integer(anchor.milliseconds) }
    case .recurrence(let trigger):
      writer.byte(4)
      writer.byte(trigger.timeZone != nil ? 2 : 0)
      writer.integer(trigger.start.wallSeconds)
      writer.longText(trigger.rule)
      writer.integer(UInt16(trigger.except.count))
      for time in trigger.except { writer.integer(time.wallSeconds) }
      if let zone = trigger.timeZone { writer.shortText(zone) }
    case .location(let trigger):
      writer.byte(5)
      writer.byte(
        (trigger.repeats ? 1 : 0) | (trigger.distance != nil ? 2 : 0) | (trigger.onEntry ? 4 : 0)
          | (trigger.onExit ? 8 : 0))
      writer.double(trigger.latitude)
      writer.double(trigger.longitude)
      writer.double(trigger.radius)
      if let distance = trigger.distance { writer.double(distance) }
    }
  }

  private static func encode(_ trigger: CalendarTrigger, to writer: inout ByteWriter) {
    var flags: UInt8 = trigger.repeats ? 1 : 0
    if trigger.timeZone != nil { flags |= 2 }
    if trigger.startsAt != nil { flags |= 4 }
    if trigger.endsAt != nil { flags |= 8 }
    switch trigger.onMissingDay {
    case .skip: break
    case .lastDay: flags |= 16
    case .nextDay: flags |= 32
    }
    writer.byte(flags)
    encode(trigger.components, to: &writer)
    if let zone = trigger.timeZone { writer.shortText(zone) }
    if let bound = trigger.startsAt { encode(bound, to: &writer) }
    if let bound = trigger.endsAt { encode(bound, to: &writer) }
  }

  private static func encode(_ bound: LocalBound, to writer: inout ByteWriter) {
    if case .date = bound { writer.byte(0) } else { writer.byte(1) }
    writer.integer(bound.wallTime.wallSeconds)
  }

  private static func encode(_ components: CalendarComponents, to writer: inout ByteWriter) {
    let years = [components.year, components.yearForWeekOfYear]
    let others = [
      components.month, components.day, components.hour, components.minute, components.second,
      components.weekday,
      components.weekdayOrdinal, components.weekOfMonth, components.weekOfYear,
    ]
    var present: UInt16 = 0
    for (bit, value) in (years + others).enumerated() where value != nil { present |= 1 << UInt16(bit) }
    writer.integer(present)
    for case let year? in years { writer.integer(UInt16(year)) }
    for case let value? in others { writer.byte(UInt8(value)) }
  }

  static func decode(_ reader: inout ByteReader) throws(StoredFormError) -> Trigger {
    switch try reader.byte() {
    case 0: return .instant(try reader.instant())
    case 1: return .local(try reader.wallTime())
    case 2: return .calendar(try decodeCalendar(&reader))
    case 3:
      let flags = try flags(&reader, known: 3)
      let least = flags & 1 != 0 ? IntervalTrigger.shortestRepeating : Double.leastNonzeroMagnitude
      let seconds = try reader.double(in: least...IntervalTrigger.longest)
      let anchor: Instant? = flags & 2 != 0 ? try reader.instant() : nil
      return .interval(IntervalTrigger(seconds: seconds, repeats: flags & 1 != 0, anchor: anchor))
    case 4: return .recurrence(try decodeRecurrence(&reader))
    case 5:
      let flags = try flags(&reader, known: 15)
      let most = Double.greatestFiniteMagnitude
      return .location(
        LocationTrigger(
          latitude: try reader.double(in: -90...90), longitude: try reader.double(in: -180...180),
          radius: try reader.double(in: 0...most), onEntry: flags & 4 != 0, onExit: flags & 8 != 0,
          repeats: flags & 1 != 0, distance: flags & 2 != 0 ? try reader.double(in: 0...most) : nil))
    default: throw reader.damaged("unknown kind of trigger")
    }
  }

  private static func flags(_ reader: inout ByteReader, known: UInt8) throws(StoredFormError) -> UInt8 {
    let flags = try reader.byte()
    guard flags & ~known == 0 else { throw reader.damaged("unknown flags") }
    return flags
  }

  private static func decodeRecurrence(_ reader: inout ByteReader) throws(StoredFormError)
    -> RecurrenceTrigger
  {
    let flags = try flags(&reader, known: 2)
    let start = try reader.wallTime()
    var trigger = RecurrenceTrigger(start: start, rule: try reader.longText())
    let count: UInt16 = try reader.integer()
    for _ in 0..<count { trigger.except.append(try reader.wallTime()) }
    if flags & 2 != 0 { trigger.timeZone = try reader.shortText() }
    return trigger
  }

  private static func decodeCalendar(_ reader: inout ByteReader) throws(StoredFormError) -> CalendarTrigger {
    let flags = try flags(&reader, known: 63)
    var trigger = CalendarTrigger(components: try decodeComponents(&reader), repeats: flags & 1 != 0)
    switch flags & 48 {
    case 0: break
    case 16: trigger.onMissingDay = .lastDay
    case 32: trigger.onMissingDay = .nextDay
    default: throw reader.damaged("unknown rule for missing days")
    }
    if flags & 2 != 0 { trigger.timeZone = try reader.shortText() }
    if flags & 4 != 0 { trigger.startsAt = try decodeBound(&reader) }
    if flags & 8 != 0 { trigger.endsAt = try decodeBound(&reader) }
    return trigger
  }

  private static func decodeBound(_ reader: inout ByteReader) throws(StoredFormError) -> LocalBound {
    let kind = try reader.byte()
    let time = try reader.wallTime()
    switch kind {
    case 0: return .date(time)
    case 1: return .dateTime(time)
    default: throw reader.damaged("unknown kind of bound")
    }
  }

  private static func decodeComponents(_ reader: inout ByteReader) throws(StoredFormError)
    -> CalendarComponents
  {
    let present: UInt16 = try reader.integer()
    guard present >> 11 == 0 else { throw reader.damaged("unknown components") }
    func year(_ bit: UInt16) throws(StoredFormError) -> Int? {
      guard present & (1 << bit) != 0 else { return nil }
      let year: UInt16 = try reader.integer()
      guard CalendarComponents.years.contains(Int(year)) else { throw reader.damaged("year out of range") }
      return Int(year)
    }
    func value(_ bit: UInt16, _ range: ClosedRange<UInt8>) throws(StoredFormError) -> Int? {
      guard present & (1 << bit) != 0 else { return nil }
      let value = try reader.byte()
      guard range.contains(value) else { throw reader.damaged("component out of range") }
      return Int(value)
    }
    var components = CalendarComponents()
    components.year = try year(0)
    components.yearForWeekOfYear = try year(1)
    components.month = try value(2, 1...12)
    components.day = try value(3, 1...31)
    components.hour = try value(4, 0...23)
    components.minute = try value(5, 0...59)
    components.second = try value(6, 0...59)
    components.weekday = try value(7, 1...7)
    components.weekdayOrdinal = try value(8, 1...5)
    components.weekOfMonth = try value(9, 1...6)
    components.weekOfYear = try value(10, 1...53)
    return components
  }
}
