/// How one installation was asked for permission, so far: each fact by itself. None of them can be told from another,
/// and none travels with a backup: they belong to the row of the installation on the server.
public struct PrimingFacts: Hashable, Sendable {
  /// What the user said on the app's own screen.
  public enum ScreenAnswer: String, Hashable, Sendable, CaseIterable { case accepted, postponed }

  /// What iOS was told, in its dialog or in Settings.
  public enum SystemAnswer: String, Hashable, Sendable, CaseIterable { case granted, denied }

  /// When the app's own screen was shown last.
  public var primerShownAt: Instant?
  /// When it was last answered with yes.
  public var acceptedAt: Instant?
  /// When it was last answered with "later".
  public var postponedAt: Instant?
  /// How often it was answered with "later".
  public var postpones = 0
  /// The newest of its answers; nil before the first.
  public var screenAnswer: ScreenAnswer?
  /// When the system's dialog was shown, for the first time.
  public var dialogShownAt: Instant?
  /// The first answer iOS ever reported; nil while it is unknown, whatever a callback said.
  public var systemAnswer: SystemAnswer?
  public var systemAnsweredAt: Instant?
  /// How often a notification was tapped.
  public var taps = 0
  public var tappedAt: Instant?

  public init() {}

  /// Whether the one dialog this installation has is gone. An answer without a report of the dialog proves it too.
  public var isDialogSpent: Bool { dialogShownAt != nil || systemAnswer != nil }
}

/// What a device tells of the way to permission.
public enum PrimingEvent: String, Hashable, Sendable, CaseIterable {
  case primingShown, primingAccepted, primingPostponed, dialogShown, tapped
}

extension PrimingFacts {
  /// Takes in an event, in the order in which the device tells them.
  ///
  /// - Parameter at: when it happened, by the server's clock.
  public mutating func note(_ event: PrimingEvent, at: Instant) {
    switch event {
    case .primingShown: primerShownAt = later(primerShownAt, at)
    case .primingAccepted:
      acceptedAt = later(acceptedAt, at)
      screenAnswer = .accepted
    case .primingPostponed:
      postponedAt = later(postponedAt, at)
      postpones += 1
      screenAnswer = .postponed
    // It comes before its answer, whatever a device's clock says of it.
    case .dialogShown: dialogShownAt = dialogShownAt ?? systemAnsweredAt.map { min($0, at) } ?? at
    case .tapped:
      taps += 1
      tappedAt = later(tappedAt, at)
    }
  }

  /// Takes in what iOS says of the permission. A state in which nobody has answered tells nothing, also right after
  /// the dialog.
  public mutating func note(_ status: AuthorizationStatus, at: Instant) {
    guard systemAnswer == nil else { return }
    switch status {
    case .authorized: systemAnswer = .granted
    case .denied: systemAnswer = .denied
    case .notDetermined, .provisional, .ephemeral, .unknown: return
    }
    systemAnsweredAt = at
  }

  private func later(_ known: Instant?, _ new: Instant) -> Instant { known.map { max($0, new) } ?? new }
}
