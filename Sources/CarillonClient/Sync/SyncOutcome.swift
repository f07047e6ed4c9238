import CarillonAPI
import CarillonModel

/// What a sync brought about.
public struct SyncOutcome: Sendable {
  /// The installation, which is another one than before when the server told two phones with one id apart.
  public var deviceId: DeviceID
  public var planVersion: Int
  /// How the 64 are shared: held, queued, foreign.
  public var slots: SlotCounts
  /// Sync again no later than this, or notifications that wait for a slot are lost; nil when none waits.
  public var refreshBy: Instant?
  /// What changed on the device.
  public var applied: AppliedPlan
  /// The app's own wishes that the server refused; it took the others.
  public var rejected: [RejectedItem]
  /// The next step towards permission.
  public var priming: PrimingDecision
  public var unread: Int
  /// Seconds the server asks to wait before the next sync; nil when it has time.
  public var backoff: Double?
  public var notices: [SyncNotice]
  /// How many reports it took.
  public var reports: Int
  /// Who planned what the device holds now.
  public var confirmation: Confirmation = .server

  public enum Confirmation: Hashable, Sendable {
    case server
    /// The server could not be reached: this device planned by itself, with the last plan and policy it knows. What was
    /// asked for is kept, and the next sync brings the server's word.
    case device(CarillonError)
  }
}

/// Something out of the ordinary that was dealt with, for a log.
public enum SyncNotice: Hashable, Sendable {
  /// The state could not be read; this is a new installation.
  case stateReset(DamagedState)
  /// Another phone lives under the old id; this one has a new id.
  case forked(from: DeviceID, to: DeviceID)
  /// The server held a newer report: the state of this installation had been put back.
  case caughtUp
}
