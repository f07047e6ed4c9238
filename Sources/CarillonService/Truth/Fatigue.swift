import CarillonModel
import CarillonStore

/// A user who takes away a device's sound and its lock screen, but not yet its permission, is one step from leaving.
extension DeviceTruth {
  /// Holds a report's state against what was known. The two settings may go in one report or in several.
  ///
  /// - Parameter isTold: whether the report itself speaks of them. What was last told while notifications were denied is
  ///   of that time, and no sign of anything once they are allowed again.
  mutating func noteNoticeability(
    _ state: DeviceState, isTold: Bool, now: Instant
  ) -> DeviceStateChange.Fatigue? {
    switch Noticeability(state) {
    case .full:
      wasNoticeable = true
    case .partial:
      // A device that had both and got one back is where it was one step before.
      if fatiguedAt != nil { wasNoticeable = true }
    case .none:
      guard wasNoticeable, isTold else { return nil }
      wasNoticeable = false
      fatiguedAt = now
      return .degraded
    case .unknown: return nil
    }
    guard fatiguedAt != nil else { return nil }
    fatiguedAt = nil
    return .recovered
  }
}

/// Whether a notification still makes itself noticed on a device that is allowed to show it.
private enum Noticeability {
  /// Sound and lock screen are on.
  case full
  /// One of them is.
  case partial
  /// Neither is.
  case none
  /// Not allowed at all, or not reported.
  case unknown

  init(_ state: DeviceState) {
    switch state.authorizationStatus {
    case .authorized, .provisional, .ephemeral: break
    // Whoever has denied has left: what the settings then say is no sign of anything.
    case .denied, .notDetermined, .unknown:
      self = .unknown
      return
    }
    guard let sound = state.settings.sound, let lockScreen = state.settings.lockScreen else {
      self = .unknown
      return
    }
    switch (sound == .enabled, lockScreen == .enabled) {
    case (true, true): self = .full
    case (false, false): self = .none
    default: self = .partial
    }
  }
}
