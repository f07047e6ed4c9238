import CarillonJSON
import CarillonModel

/// What one report changed of a device, as `GET /v1/devices/{deviceId}/history` lists it.
public struct DeviceChangeItem: Hashable, Sendable {
  /// From 1, per device.
  public var number: Int64
  /// The server's time.
  public var at: Instant
  /// Of the report that told it.
  public var sequence: Int64?
  /// By the device's clock.
  public var sentAt: Instant?
  /// After the change.
  public var appVersion: String?
  public var authorizationStatus: AuthorizationStatus
  /// `degraded` or `recovered`; nil: neither.
  public var fatigue: String?
  public var changes: [Change]
  /// What the report put, the first ids.
  public var puts: [NotificationID]
  /// What it cancelled, the first ids.
  public var cancels: [NotificationID]
  /// How many more it put and cancelled.
  public var more: Int

  /// One member of the report, by its path; nil: it was never reported.
  public struct Change: Hashable, Sendable {
    public var member: String
    public var from: String?
    public var to: String?

    public init(member: String, from: String?, to: String?) {
      self.member = member
      self.from = from
      self.to = to
    }
  }

  public init(
    number: Int64, at: Instant, sequence: Int64?, sentAt: Instant?, appVersion: String?,
    authorizationStatus: AuthorizationStatus, fatigue: String?, changes: [Change],
    puts: [NotificationID] = [], cancels: [NotificationID] = [], more: Int = 0
  ) {
    self.number = number
    self.at = at
    self.sequence = sequence
    self.sentAt = sentAt
    self.appVersion = appVersion
    self.authorizationStatus = authorizationStatus
    self.fatigue = fatigue
    self.changes = changes
    self.puts = puts
    self.cancels = cancels
    self.more = more
  }

  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 512)
    write(to: &writer)
    return writer.bytes
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("number", Int(number))
      writer.member("at", at)
      writer.member("sequence", orNull: sequence.map { Int($0) })
      writer.member("sentAt", orNull: sentAt)
      writer.member("appVersion", orNull: appVersion)
      writer.member("authorizationStatus", authorizationStatus.word)
      writer.member("fatigue", orNull: fatigue)
      writer.name("changes")
      writer.array { writer in
        for change in changes {
          writer.object { writer in
            writer.member("member", change.member)
            writer.member("from", orNull: change.from)
            writer.member("to", orNull: change.to)
          }
        }
      }
      writer.name("puts")
      writer.array { writer in for id in puts { writer.string(id.text) } }
      writer.name("cancels")
      writer.array { writer in for id in cancels { writer.string(id.text) } }
      writer.member("more", more)
    }
  }
}

extension JSONWriter {
  mutating func member(_ name: StaticString, orNull text: String?) {
    self.name(name)
    if let text { string(text) } else { null() }
  }

  mutating func member(_ name: StaticString, orNull number: Int?) {
    self.name(name)
    if let number { int(number) } else { null() }
  }
}
