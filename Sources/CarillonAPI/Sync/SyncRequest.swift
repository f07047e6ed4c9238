import CarillonJSON
import CarillonModel

/// A device's report. Nil means unchanged since the last one.
public struct SyncRequest: Hashable, Sendable {
  /// Grows per installation; a report that is not newer changes nothing.
  public var sequence: Int64
  /// By the device's clock: information, never what decides.
  public var sentAt: Instant?
  public var device: DeviceInfo?
  public var authorizationStatus: AuthorizationStatus?
  public var settings: NotificationSettings?
  /// The plan the device last applied.
  public var planVersion: Int?
  /// What the device really holds.
  public var pending: [PendingRequest]?
  public var foreign: ForeignRequests?
  /// Notifications that stand in Notification Center.
  public var delivered: [NotificationID]?
  /// The version of the policy the device keeps, 0 when none: asks for another one, and for what planning on the
  /// device needs of each addition. Nil: it does not plan.
  public var policyVersion: Int?
  public var events: [SyncEvent] = []
  /// Changes to the queue that the device asks for: removes first, then adds.
  public var cancel: [NotificationID] = []
  public var put: [Notification] = []

  public init(sequence: Int64) { self.sequence = sequence }

  /// Whether it does more than tell a state: it must be stored even if the state is known.
  public var hasEffects: Bool { !events.isEmpty || !cancel.isEmpty || !put.isEmpty }
}

/// A report as the server reads it.
public struct ReceivedReport: Hashable, Sendable {
  public var request: SyncRequest
  /// What of `put` and `cancel` was refused; the rest of the report stands.
  public var rejected: [RejectedItem]
  /// What the report says, as 64 bits; see ``ReportScan``.
  public var digest: UInt64

  public init(request: SyncRequest, rejected: [RejectedItem], digest: UInt64) {
    self.request = request
    self.rejected = rejected
    self.digest = digest
  }
}

extension SyncRequest {
  /// The JSON of the wire.
  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 4_096)
    write(to: &writer)
    return writer.bytes
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("sequence", Int(sequence))
      if let sentAt { writer.member("sentAt", sentAt) }
      if let device {
        writer.name("device")
        device.write(to: &writer)
      }
      if let authorizationStatus { writer.member("authorizationStatus", authorizationStatus.word) }
      if let settings {
        writer.name("settings")
        settings.write(to: &writer)
      }
      if let planVersion { writer.member("planVersion", planVersion) }
      if let pending { writer.list("pending", pending) { $0.write(to: &$1) } }
      if let foreign {
        writer.name("foreign")
        foreign.write(to: &writer)
      }
      if let delivered { writer.list("delivered", delivered) { $1.string($0.text) } }
      if let policyVersion { writer.member("policyVersion", policyVersion) }
      if !events.isEmpty { writer.list("events", events) { $0.write(to: &$1) } }
      if !put.isEmpty { writer.list("put", put) { $0.write(to: &$1) } }
      if !cancel.isEmpty { writer.list("cancel", cancel) { $1.string($0.text) } }
    }
  }
}
