/// What became of one occurrence of a notification whose time has come.
public enum DeliveryOutcome: String, Hashable, Sendable, CaseIterable {
  /// Nobody can know yet.
  case open
  /// The device said so.
  case delivered
  /// It was due, the device held it and was allowed to show it, and holds it no more.
  case inferredDelivered
  /// The user had denied notifications when it came due.
  case suppressed
  /// The device lost it before it was due.
  case removedOnDevice
  /// It never reached the device.
  case missed
  /// A push made up for it.
  case rescued
  /// It was over before it could be held.
  case expired

  /// Whether somebody may have noticed it.
  public var isDelivered: Bool { self == .delivered || self == .inferredDelivered || self == .rescued }
}
