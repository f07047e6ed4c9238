/// What the app is to do next on the way to permission.
public enum PrimingStep: String, Hashable, Sendable, CaseIterable {
  case none
  /// Ask again at ``PrimingDecision/retryAt``, with a value action.
  case wait
  /// Show the app's own screen.
  case showPrimer
  /// Call `requestAuthorization`: the system's dialog, which comes once.
  case showDialog
  /// Call `requestAuthorization` with `.provisional`: no dialog.
  case requestProvisional
  /// Offer a link to the app's page in Settings.
  case openSettings
}

/// Why, in a word. Newer servers may say others.
public struct PrimingReason: RawRepresentable, Hashable, Sendable {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  private init(_ word: String) { rawValue = word }

  /// The user has done nothing of value: nothing is asked at launch.
  public static let noValueAction = PrimingReason("noValueAction")
  /// The policy names other actions.
  public static let notAValueAction = PrimingReason("notAValueAction")
  public static let neverAsked = PrimingReason("neverAsked")
  /// The user said "later", and that is long enough ago.
  public static let cooldownOver = PrimingReason("cooldownOver")
  /// The user said "later" not long ago.
  public static let coolingDown = PrimingReason("coolingDown")
  /// The user said "later" as often as the policy allows.
  public static let postponedTooOften = PrimingReason("postponedTooOften")
  /// The user said yes on the app's own screen.
  public static let accepted = PrimingReason("accepted")
  /// The policy begins with a quiet trial.
  public static let quietTrial = PrimingReason("quietTrial")
  /// Notifications come quietly, and none was tapped yet.
  public static let noTapYet = PrimingReason("noTapYet")
  /// Notifications come quietly, and were tapped.
  public static let tapped = PrimingReason("tapped")
  /// The dialog was shown, and iOS has told no answer.
  public static let answerUnknown = PrimingReason("answerUnknown")
  public static let authorized = PrimingReason("authorized")
  public static let denied = PrimingReason("denied")
  /// Permission is there, but a setting takes away what the feature needs.
  public static let settingDisabled = PrimingReason("settingDisabled")
  public static let ephemeral = PrimingReason("ephemeral")
  /// A state that this server does not know.
  public static let unknownStatus = PrimingReason("unknownStatus")
}

/// Why it is right to ask a device that gets its notifications quietly.
public struct PrimingEvidence: Hashable, Sendable {
  public var taps: Int
  public var lastTapAt: Instant

  public init(taps: Int, lastTapAt: Instant) {
    self.taps = taps
    self.lastTapAt = lastTapAt
  }
}

public struct PrimingDecision: Hashable, Sendable {
  public var step: PrimingStep
  public var reason: PrimingReason
  /// Of ``PrimingStep/wait``.
  public var retryAt: Instant?
  /// Of every step that asks a provisional device for more.
  public var evidence: PrimingEvidence?

  public init(
    _ step: PrimingStep, _ reason: PrimingReason, retryAt: Instant? = nil, evidence: PrimingEvidence? = nil
  ) {
    self.step = step
    self.reason = reason
    self.retryAt = retryAt
    self.evidence = evidence
  }
}
