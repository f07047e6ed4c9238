import CarillonJSON

/// Words of the domain, read in place. A null stands for an absent member wherever the member may be absent.
extension JSONReader {
  mutating func optional<R>(
    _ read: (inout JSONReader) throws(JSONError) -> R
  ) throws(JSONError) -> R? {
    if try null() { return nil }
    return try read(&self)
  }

  /// Reads a member that has a default, which a null leaves as it is.
  mutating func update<Value>(
    _ value: inout Value, _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) {
    if try !null() { value = try read(&self) }
  }

  mutating func update(_ value: inout Int, in range: ClosedRange<Int>) throws(JSONError) {
    if try !null() { value = try int(in: range) }
  }

  mutating func update(_ value: inout Bool) throws(JSONError) {
    if try !null() { value = try bool() }
  }

  mutating func update<Word: RawRepresentable & CaseIterable>(
    _ value: inout Word
  ) throws(JSONError) where Word.RawValue == String {
    if try !null() { value = try word(Word.self) }
  }

  mutating func optionalString() throws(JSONError) -> String? { try null() ? nil : try string() }
  mutating func optionalInt(in range: ClosedRange<Int>) throws(JSONError) -> Int? {
    try null() ? nil : try int(in: range)
  }

  /// Text within a length in bytes, without control characters.
  mutating func plainText(bytes range: ClosedRange<Int>) throws(JSONError) -> String {
    let text = try string()
    guard TextRules.isPlain(text, bytes: range) else {
      throw error(
        code: JSONError.outOfRange,
        detail: "expected \(range.lowerBound)...\(range.upperBound) bytes without control characters")
    }
    return text
  }

  /// One of a closed set of words.
  mutating func word<Word: RawRepresentable & CaseIterable>(
    _ type: Word.Type
  ) throws(JSONError) -> Word where Word.RawValue == String {
    let text = try string()
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw error(code: JSONError.invalidValue, detail: "\"\(text)\" is not one of \(known)")
    }
    return word
  }

  mutating func notificationID() throws(JSONError) -> NotificationID {
    let text = try string()
    guard let id = NotificationID(text) else {
      throw error(
        code: ModelError.invalidId,
        detail: "an id has 1...\(NotificationID.longest) bytes and no control characters")
    }
    return id
  }

  /// Any instant.
  public mutating func instant() throws(JSONError) -> Instant {
    let instant = try stringBytes { (bytes) throws(JSONError) in Instant(parsing: bytes) }
    guard let instant else {
      throw error(
        code: ModelError.invalidInstant,
        detail: "expected a time with an offset as in 2026-12-01T08:00:00Z, on a day that exists")
    }
    return instant
  }

  /// An instant in 2000...2199.
  mutating func triggerInstant() throws(JSONError) -> Instant {
    let instant = try instant()
    guard Instant.triggerRange.contains(instant) else {
      throw error(code: ModelError.invalidInstant, detail: "the year is outside 2000...2199")
    }
    return instant
  }

  /// A wall time in 2000...2199.
  mutating func triggerLocalTime() throws(JSONError) -> LocalDateTime {
    let time = try stringBytes { (bytes) throws(JSONError) in LocalDateTime(parsing: bytes) }
    guard let time else {
      throw error(
        code: ModelError.invalidLocalTime,
        detail: "expected a wall time without an offset as in 2026-12-01T08:00, on a day that exists")
    }
    try checkYear(of: time)
    return time
  }

  /// A date or wall time in 2000...2199.
  mutating func localBound() throws(JSONError) -> LocalBound {
    let bound = try stringBytes { (bytes) throws(JSONError) in LocalBound(parsing: bytes) }
    guard let bound else {
      throw error(
        code: ModelError.invalidLocalTime,
        detail: "expected a date as in 2026-12-01, or a wall time as in 2026-12-01T08:00, without an offset")
    }
    try checkYear(of: bound.wallTime)
    return bound
  }

  private borrowing func checkYear(of time: LocalDateTime) throws(JSONError) {
    guard LocalDateTime.triggerYears.contains(time.date.year) else {
      throw error(code: ModelError.invalidLocalTime, detail: "the year is outside 2000...2199")
    }
  }

  /// A zone's name by its shape; whether there is such a zone is for whoever has the zone data.
  mutating func zoneName() throws(JSONError) -> String {
    let name = try string()
    switch ZoneName.shape(of: name) {
    case .name, .offsetArea: return name
    case .fixedOffset:
      throw error(
        code: ModelError.fixedOffsetTimeZone,
        detail: "\"\(name)\" is an offset; expected an IANA name as in Europe/Madrid")
    case .invalid:
      throw error(
        code: ModelError.invalidTimeZone, detail: "expected an IANA name as in Europe/Madrid")
    }
  }
}

extension JSONWriter {
  public mutating func instant(_ instant: Instant) { asciiString { instant.append(to: &$0) } }

  public mutating func member(_ name: StaticString, _ instant: Instant) {
    self.name(name)
    self.instant(instant)
  }

  /// Null when there is none.
  public mutating func member(_ name: StaticString, orNull instant: Instant?) {
    self.name(name)
    if let instant { self.instant(instant) } else { null() }
  }

  mutating func member(_ name: StaticString, _ time: LocalDateTime) {
    self.name(name)
    asciiString { time.append(to: &$0) }
  }

  mutating func member(_ name: StaticString, _ bound: LocalBound) {
    self.name(name)
    asciiString { bound.append(to: &$0) }
  }

  /// Nothing when there is none.
  mutating func member(_ name: StaticString, orNull text: String?) {
    self.name(name)
    if let text { string(text) } else { null() }
  }

  mutating func member(_ name: StaticString, orNull value: Int?) {
    self.name(name)
    if let value { int(value) } else { null() }
  }

  mutating func member(_ name: StaticString, ifPresent text: String?) {
    if let text { member(name, text) }
  }

  mutating func member(_ name: StaticString, ifPresent value: Int?) {
    if let value { member(name, value) }
  }
}
