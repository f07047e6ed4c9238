import CarillonJSON

extension QuietHours {
  init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var windowsPlace = reader.place
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "windows" where try reader.null(): break
      case "windows":
        try reader.array { (reader) throws(JSONError) in
          windows.append(try QuietWindow(from: &reader))
          try reader.limit(windows.count, to: PolicyLimits.mostWindows)
        }
        windowsPlace = reader.place
      case "exempt" where try reader.null(): break
      case "exempt":
        exempt = []
        try reader.array { (reader) throws(JSONError) in
          let level = try reader.word(InterruptionLevel.self)
          if !exempt.contains(level) { exempt.append(level) }
        }
      default: throw reader.unknownMember(name)
      }
    }
    if coverWholeWeek {
      throw reader.error(
        code: ModelError.contradictoryPolicy,
        detail: "the windows cover the whole week: nothing could ever be delivered", at: windowsPlace)
    }
  }

  /// On the wall clock, without regard to the days on which clocks change.
  var coverWholeWeek: Bool {
    let day = 86_400
    let week = 7 * day
    var spans: [Range<Int>] = []
    for window in windows {
      for weekday in window.days {
        let start = (weekday - 1) * day + window.from
        let end = (weekday - 1) * day + window.to + (window.to <= window.from ? day : 0)
        spans.append(start..<min(end, week))
        if end > week { spans.append(0..<(end - week)) }
      }
    }
    var covered = 0
    for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if span.lowerBound > covered { return false }
      covered = max(covered, span.upperBound)
    }
    return covered == week
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.name("windows")
      writer.array { writer in
        for window in windows { window.write(to: &writer) }
      }
      writer.member("exempt", exempt.map(\.rawValue))
    }
  }
}

extension QuietWindow {
  /// `{"from": "22:00", "to": "07:30", "days": [1, 7]}` or `{"allDay": true, "days": [1]}`.
  init(from reader: inout JSONReader) throws(JSONError) {
    var from: Int?
    var to: Int?
    var allDay = false
    var days: Set<Int>?
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "from": from = try reader.optional(QuietWindow.readTime)
      case "to": to = try reader.optional(QuietWindow.readTime)
      case "allDay": try reader.update(&allDay)
      case "days" where try reader.null(): break
      case "days":
        var list: Set<Int> = []
        try reader.array { (reader) throws(JSONError) in list.insert(try reader.int(in: 1...7)) }
        if list.isEmpty {
          throw reader.error(
            code: JSONError.outOfRange, detail: "a window on no day; 1 is Sunday, 7 is Saturday")
        }
        days = list
      default: throw reader.unknownMember(name)
      }
    }
    if allDay {
      guard from == nil, to == nil else {
        throw reader.error(code: ModelError.contradictoryPolicy, detail: "a whole day has no from and to")
      }
      self.init(from: 0, to: 86_400)
    } else {
      guard let from else { throw reader.missingMember("from") }
      guard let to else { throw reader.missingMember("to") }
      if from == to {
        throw reader.error(
          code: ModelError.contradictoryPolicy,
          detail: "from and to are equal; a whole day is {\"allDay\": true}", member: "to")
      }
      self.init(from: from, to: to)
    }
    if let days { self.days = days }
  }

  /// `HH:MM` or `HH:MM:SS`.
  private static func readTime(_ reader: inout JSONReader) throws(JSONError) -> Int {
    let seconds = try reader.stringBytes { (bytes) throws(JSONError) -> Int? in
      var scanner = TimeScanner(bytes)
      guard let hour = scanner.field(0...23), scanner.skip(":"), let minute = scanner.field(0...59) else {
        return nil
      }
      var second = 0
      if scanner.skip(":") {
        guard let value = scanner.field(0...59) else { return nil }
        second = value
      }
      return scanner.isAtEnd ? hour * 3600 + minute * 60 + second : nil
    }
    guard let seconds else {
      throw reader.error(code: JSONError.invalidValue, detail: "expected a time of day as in 22:00")
    }
    return seconds
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if from == 0, to == 86_400 {
        writer.member("allDay", true)
      } else {
        QuietWindow.write(from, as: "from", to: &writer)
        QuietWindow.write(to, as: "to", to: &writer)
      }
      writer.name("days")
      writer.array { writer in
        for day in days.sorted() { writer.int(day) }
      }
    }
  }

  private static func write(_ seconds: Int, as name: StaticString, to writer: inout JSONWriter) {
    writer.name(name)
    writer.asciiString { bytes in
      bytes.append(seconds / 3600, digits: 2)
      bytes.append(UInt8(ascii: ":"))
      bytes.append(seconds / 60 % 60, digits: 2)
      if seconds % 60 != 0 {
        bytes.append(UInt8(ascii: ":"))
        bytes.append(seconds % 60, digits: 2)
      }
    }
  }
}
