import CarillonAPI
import CarillonModel
import CarillonStore

/// Whose report it is that comes under a device's id.
enum Installation: Hashable {
  /// An installation that has reported within so many seconds lives.
  static let secondsAlive: Int64 = 90 * 86_400

  case own
  /// Another phone's, with a copy of the store, while the first one lives: it gets an id of its own.
  case copy(deviceKey: String)
  /// Another phone's, and nothing was heard of the first for so long that the id passes over.
  case successor

  /// A report that names no key, or a device of which none is known, gives nothing to tell two phones by.
  ///
  /// - Parameter now: by the clock that tells what is old (``RetentionClock``).
  static func judge(_ report: SyncRequest, reportedAs device: StoredDevice?, now: Instant) -> Installation {
    guard let device, let known = device.state.info.deviceKey, !known.isEmpty,
      let key = report.device?.deviceKey, !key.isEmpty, key != known
    else { return .own }
    guard let seenAt = device.seenAt, now <= seenAt.adding(seconds: secondsAlive) else { return .successor }
    return .copy(deviceKey: key)
  }
}

extension DeviceSnapshot {
  /// What the store makes of the device before a successor's sync is applied: its queue stays, for the app's backend
  /// still writes to this id; nothing that the other phone said or was asked does.
  mutating func beginAnew() {
    device?.state = DeviceState()
    device?.sequence = nil
    device?.rowVersion += 1
    priming = PrimingFacts()
    truth.appliedPlanVersion = nil
    truth.vanished = []
    truth.wasNoticeable = false
    truth.fatiguedAt = nil
  }
}
