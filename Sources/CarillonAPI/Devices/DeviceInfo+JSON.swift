import CarillonJSON
import CarillonModel

extension JSONReader {
  /// The `device` of a report; members nobody knows are ignored.
  mutating func deviceInfo() throws(JSONError) -> DeviceInfo {
    var info = DeviceInfo()
    try object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "platform": info.platform = try reader.shortText()
      case "osVersion": info.osVersion = try reader.shortText()
      case "appVersion": info.appVersion = try reader.shortText()
      case "bundleId": info.bundleId = try reader.shortText()
      case "timeZone": info.timeZone = try reader.deviceZone()
      case "firstWeekday": info.firstWeekday = try reader.int(in: 1...7)
      case "minimumDaysInFirstWeek": info.minimumDaysInFirstWeek = try reader.int(in: 1...7)
      case "locale": info.locale = try reader.shortText()
      case "deviceKey": info.deviceKey = try reader.shortText()
      case "userId": info.userId = try reader.shortText()
      case "cohort": info.cohort = try reader.shortText()
      case "push": info.push = try reader.pushRegistration()
      case "backgroundRefresh": info.backgroundRefresh = try reader.shortText()
      default: try reader.skip()
      }
    }
    return info
  }

  /// A place's zone: an offset cannot say when the clocks of its user change.
  private mutating func deviceZone() throws(JSONError) -> String {
    let name = try string()
    switch ZoneName.shape(of: name) {
    case .name: return name
    case .offsetArea, .fixedOffset:
      throw error(
        code: ModelError.fixedOffsetTimeZone,
        detail: "a device's zone is an IANA name like Europe/Madrid, not an offset")
    case .invalid:
      throw error(code: ModelError.invalidTimeZone, detail: "expected an IANA name like Europe/Madrid")
    }
  }

  private mutating func pushRegistration() throws(JSONError) -> PushRegistration {
    var token: String?
    var environment: String?
    try object { (reader, name) throws(JSONError) in
      switch name {
      case "token":
        let text = try reader.shortText(bytes: WireLimits.pushTokenBytes).lowercased()
        guard text.utf8.count.isMultiple(of: 2), text.utf8.allSatisfy(Self.isHexadecimal) else {
          throw reader.error(code: JSONError.invalidValue, detail: "a push token is written in hexadecimal")
        }
        token = text
      case "environment": environment = try reader.shortText()
      default: try reader.skip()
      }
    }
    guard let token else { throw missingMember("token") }
    guard let environment else { throw missingMember("environment") }
    return PushRegistration(token: token, environment: environment)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Nil, with the item read, when its id is none that a notification of ours can have: a foreign request.
  mutating func pendingRequest() throws(JSONError) -> PendingRequest? {
    var text: String?
    var revision: String?
    try object { (reader, name) throws(JSONError) in
      switch name {
      case "id": text = try reader.string()
      case "revision": revision = try reader.null() ? nil : try reader.shortText()
      default: try reader.skip()
      }
    }
    guard let text else { throw missingMember("id") }
    return NotificationID(text).map { PendingRequest(id: $0, revision: revision) }
  }

  mutating func foreignRequests() throws(JSONError) -> ForeignRequests {
    var foreign = ForeignRequests()
    try object { (reader, name) throws(JSONError) in
      switch name {
      case "count": foreign.count = try reader.int(in: WireLimits.foreign)
      case "regions": foreign.regions = try reader.int(in: WireLimits.foreign)
      default: try reader.skip()
      }
    }
    return foreign
  }
}

extension JSONWriter {
  mutating func deviceInfo(_ info: DeviceInfo) {
    object { writer in
      writer.present("platform", info.platform)
      writer.present("osVersion", info.osVersion)
      writer.present("appVersion", info.appVersion)
      writer.present("bundleId", info.bundleId)
      writer.present("timeZone", info.timeZone)
      if let weekday = info.firstWeekday { writer.member("firstWeekday", weekday) }
      if let days = info.minimumDaysInFirstWeek { writer.member("minimumDaysInFirstWeek", days) }
      writer.present("locale", info.locale)
      writer.present("deviceKey", info.deviceKey)
      writer.present("userId", info.userId)
      writer.present("cohort", info.cohort)
      if let push = info.push {
        writer.name("push")
        writer.object { writer in
          writer.member("token", push.token)
          writer.member("environment", push.environment)
        }
      }
      writer.present("backgroundRefresh", info.backgroundRefresh)
    }
  }

  private mutating func present(_ name: StaticString, _ text: String?) {
    if let text { member(name, text) }
  }

  mutating func pendingRequest(_ request: PendingRequest) {
    object { writer in
      writer.member("id", request.id.text)
      writer.present("revision", request.revision)
    }
  }

  mutating func foreignRequests(_ foreign: ForeignRequests) {
    object { writer in
      writer.member("count", foreign.count)
      writer.member("regions", foreign.regions)
    }
  }
}
