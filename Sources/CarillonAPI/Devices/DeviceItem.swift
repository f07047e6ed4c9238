import CarillonJSON
import CarillonModel

/// A device as lists and `GET /v1/devices/{deviceId}` show it.
public struct DeviceItem: Hashable, Sendable {
  public var id: DeviceID
  public var info: DeviceInfo
  public var authorizationStatus: AuthorizationStatus
  public var settings: NotificationSettings
  /// 0 before the first plan.
  public var planVersion: Int
  /// Of the newest report; nil for a device that has a queue but has not reported.
  public var sequence: Int64?
  public var createdAt: Instant
  /// When what it reported last changed.
  public var updatedAt: Instant
  /// When the newest report came.
  public var seenAt: Instant?
  /// Where the push token is registered; nil when none is, or another installation has it now.
  public var pushEnvironment: String?
  /// The installation whose store this one's was copied from.
  public var forkedFrom: DeviceID?
  /// The newer installation on the same phone; nil while this one lives.
  public var supersededBy: DeviceID?
  public var supersededAt: Instant?
  /// Lists leave it out.
  public var standing: DeviceStanding?

  public init(
    id: DeviceID, info: DeviceInfo, authorizationStatus: AuthorizationStatus, settings: NotificationSettings,
    planVersion: Int, sequence: Int64?, createdAt: Instant, updatedAt: Instant, seenAt: Instant?
  ) {
    self.id = id
    self.info = info
    self.authorizationStatus = authorizationStatus
    self.settings = settings
    self.planVersion = planVersion
    self.sequence = sequence
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.seenAt = seenAt
    pushEnvironment = info.push?.environment
  }

  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 1_024)
    write(to: &writer)
    return writer.bytes
  }

  public func write(to writer: inout JSONWriter) {
    // The push token is a credential towards Apple: it goes in and never out.
    var shown = info
    shown.push = nil
    writer.object { writer in
      writer.member("deviceId", id.text)
      writer.name("device")
      shown.write(to: &writer)
      writer.member("authorizationStatus", authorizationStatus.word)
      writer.name("settings")
      settings.write(to: &writer)
      writer.member("planVersion", planVersion)
      writer.name("sequence")
      if let sequence { writer.int(Int(sequence)) } else { writer.null() }
      writer.member("createdAt", createdAt)
      writer.member("updatedAt", updatedAt)
      writer.member("seenAt", orNull: seenAt)
      if let pushEnvironment { writer.member("pushEnvironment", pushEnvironment) }
      if let forkedFrom { writer.member("forkedFrom", forkedFrom.text) }
      if let supersededBy { writer.member("supersededBy", supersededBy.text) }
      if let supersededAt { writer.member("supersededAt", supersededAt) }
      standing?.writeMembers(to: &writer)
    }
  }

  public init(_ body: [UInt8]) throws(JSONError) {
    self = try JSONReader.read(body) { (reader) throws(JSONError) in try DeviceItem(from: &reader) }
  }

  public init(from reader: inout JSONReader) throws(JSONError) {
    var id: DeviceID?
    var item = DeviceItem(
      id: DeviceID(UUID128(high: 0, low: 0)), info: DeviceInfo(), authorizationStatus: .notDetermined,
      settings: NotificationSettings(), planVersion: 0, sequence: nil, createdAt: Instant(milliseconds: 0),
      updatedAt: Instant(milliseconds: 0), seenAt: nil)
    var standing = DeviceStanding()
    try reader.object { (reader, name) throws(JSONError) in
      if try reader.null() { return }
      switch name {
      case "deviceId": id = try reader.deviceID()
      case "device": item.info = try DeviceInfo(from: &reader)
      case "authorizationStatus":
        item.authorizationStatus = try AuthorizationStatus(from: &reader)
      case "settings": item.settings = try NotificationSettings(from: &reader)
      case "planVersion": item.planVersion = try reader.int(in: 0...Int.max)
      case "pushEnvironment": item.pushEnvironment = try reader.string()
      case "forkedFrom": item.forkedFrom = try reader.deviceID()
      case "supersededBy": item.supersededBy = try reader.deviceID()
      case "supersededAt": item.supersededAt = try reader.instant()
      case "sequence": item.sequence = Int64(try reader.int(in: 0...Int.max))
      case "createdAt": item.createdAt = try reader.instant()
      case "updatedAt": item.updatedAt = try reader.instant()
      case "seenAt": item.seenAt = try reader.instant()
      default:
        guard try standing.read(name, &reader) else { return try reader.skip() }
        item.standing = standing
      }
    }
    guard let id else { throw reader.missingMember("deviceId") }
    item.id = id
    self = item
  }
}
