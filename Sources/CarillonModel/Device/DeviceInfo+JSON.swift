import CarillonJSON

extension JSONReader {
  mutating func shortOptionalText() throws(JSONError) -> String? {
    try null() ? nil : try plainText(bytes: 0...DeviceInfo.longestText)
  }
}

extension DeviceInfo {
  /// Bytes of any text a device reports about itself.
  public static let longestText = 256

  /// Reads the `device` member of a report; members that nobody knows are left out, as a newer SDK reports more.
  public init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "platform": platform = try reader.shortOptionalText()
      case "osVersion": osVersion = try reader.shortOptionalText()
      case "appVersion": appVersion = try reader.shortOptionalText()
      case "bundleId": bundleId = try reader.shortOptionalText()
      case "timeZone": timeZone = try reader.optional(DeviceInfo.readZone)
      case "firstWeekday": firstWeekday = try reader.optionalInt(in: 1...7)
      case "minimumDaysInFirstWeek": minimumDaysInFirstWeek = try reader.optionalInt(in: 1...7)
      case "locale": locale = try reader.shortOptionalText()
      case "deviceKey":
        // A phone that has no key tells none.
        deviceKey = try reader.shortOptionalText().flatMap { $0.isEmpty ? nil : $0 }
      case "userId": userId = try reader.shortOptionalText()
      case "cohort": cohort = try reader.shortOptionalText()
      case "push":
        push = try reader.optional { (reader) throws(JSONError) in try PushRegistration(from: &reader) }
      case "backgroundRefresh": backgroundRefresh = try reader.shortOptionalText()
      default: try reader.skip()
      }
    }
  }

  /// A device is in a place: even the offsets of the IANA data are refused, save `UTC` and `GMT` by their plain names.
  private static func readZone(_ reader: inout JSONReader) throws(JSONError) -> String {
    let name = try reader.zoneName()
    guard ZoneName.shape(of: name) == .name else {
      throw reader.error(
        code: ModelError.fixedOffsetTimeZone,
        detail: "\"\(name)\" is an offset; expected an IANA name as in Europe/Madrid")
    }
    return name
  }

  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("platform", ifPresent: platform)
    writer.member("osVersion", ifPresent: osVersion)
    writer.member("appVersion", ifPresent: appVersion)
    writer.member("bundleId", ifPresent: bundleId)
    writer.member("timeZone", ifPresent: timeZone)
    writer.member("firstWeekday", ifPresent: firstWeekday)
    writer.member("minimumDaysInFirstWeek", ifPresent: minimumDaysInFirstWeek)
    writer.member("locale", ifPresent: locale)
    writer.member("deviceKey", ifPresent: deviceKey)
    writer.member("userId", ifPresent: userId)
    writer.member("cohort", ifPresent: cohort)
    if let push {
      writer.name("push")
      push.write(to: &writer)
    }
    writer.member("backgroundRefresh", ifPresent: backgroundRefresh)
    writer.endObject()
  }
}

extension PushRegistration {
  /// Bytes of a token in hexadecimal; Apple has made them longer before.
  public static let longestToken = 512

  /// A token in either case, an even number of digits; kept in lower case.
  public init(from reader: inout JSONReader) throws(JSONError) {
    var token: String?
    var environment = "production"
    try reader.object { (reader, name) throws(JSONError) in
      switch name {
      case "token": token = try PushRegistration.readToken(&reader)
      case "environment":
        try reader.update(&environment) { (reader) throws(JSONError) in
          try reader.plainText(bytes: 1...DeviceInfo.longestText)
        }
      default: try reader.skip()
      }
    }
    guard let token else { throw reader.missingMember("token") }
    self.init(token: token, environment: environment)
  }

  private static func readToken(_ reader: inout JSONReader) throws(JSONError) -> String {
    let text = try reader.string()
    let isHexadecimal = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
    guard (2...longestToken).contains(text.utf8.count), text.utf8.count % 2 == 0, isHexadecimal else {
      throw reader.error(code: JSONError.invalidValue, detail: "a push token is bytes in hexadecimal")
    }
    return text.lowercased()
  }

  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("token", token)
    writer.member("environment", environment)
    writer.endObject()
  }
}
