/// A question for the next step.
public struct PrimingQuestion: Hashable, Sendable {
  /// A feature the user is looking at visibly lacks the permission: the one place for a link to Settings.
  public static let featureDegraded = "featureDegraded"

  /// All contexts that mean something.
  public static let contexts = [featureDegraded]

  /// What of value the user has just done; nil: nothing, as at launch.
  public var action: String?
  /// Where the question comes from: one of ``contexts``. Told with a report, a word nobody knows means nothing.
  public var context: String?

  public init(action: String? = nil, context: String? = nil) {
    self.action = action
    self.context = context
  }

  var isDegraded: Bool { context == Self.featureDegraded }
}

extension PrimingRule {
  /// The next step on the way to permission. Decides from what is known and changes nothing: what the app makes of
  /// the step comes back as events.
  ///
  /// The dialog is never asked for twice; "later" never spends it; without a value action nothing is shown; who
  /// gets notifications quietly is asked for more only after a tap; the link to Settings is for a feature that lacks
  /// something now.
  public func decide(
    _ question: PrimingQuestion, facts: PrimingFacts, status: AuthorizationStatus,
    settings: NotificationSettings, now: Instant
  ) -> PrimingDecision {
    switch status {
    case .unknown: return PrimingDecision(.none, .unknownStatus)
    case .ephemeral: return PrimingDecision(.none, .ephemeral)
    case .denied: return PrimingDecision(question.isDegraded ? .openSettings : .none, .denied)
    case .authorized:
      let isLacking = question.isDegraded && settings.hasDisabled
      return isLacking
        ? PrimingDecision(.openSettings, .settingDisabled) : PrimingDecision(.none, .authorized)
    case .notDetermined:
      if facts.isDialogSpent { return PrimingDecision(.none, .answerUnknown) }
      return ask(question, facts, isProvisional: false, now: now)
    case .provisional:
      if facts.isDialogSpent {
        return PrimingDecision(question.isDegraded ? .openSettings : .none, .answerUnknown)
      }
      guard let tappedAt = facts.tappedAt else { return PrimingDecision(.none, .noTapYet) }
      var decision = ask(question, facts, isProvisional: true, now: now)
      if decision.step == .showPrimer || decision.step == .showDialog {
        decision.evidence = PrimingEvidence(taps: facts.taps, lastTapAt: tappedAt)
      }
      return decision
    }
  }

  /// While the dialog is there to be asked for.
  private func ask(
    _ question: PrimingQuestion, _ facts: PrimingFacts, isProvisional: Bool, now: Instant
  ) -> PrimingDecision {
    guard let action = question.action else { return PrimingDecision(.none, .noValueAction) }
    guard isValueAction(action) else { return PrimingDecision(.none, .notAValueAction) }
    let beginsQuietly = level == "provisional" && !isProvisional
    if facts.screenAnswer == .accepted {
      return beginsQuietly
        ? PrimingDecision(.requestProvisional, .quietTrial) : PrimingDecision(.showDialog, .accepted)
    }
    if facts.postpones > 0, facts.postpones >= maxPostpones {
      return PrimingDecision(.none, .postponedTooOften)
    }
    if let postponedAt = facts.postponedAt {
      let retryAt = postponedAt.adding(seconds: Int64(cooldown))
      if now < retryAt { return PrimingDecision(.wait, .coolingDown, retryAt: retryAt) }
    }
    if beginsQuietly { return PrimingDecision(.requestProvisional, .quietTrial) }
    if isProvisional { return PrimingDecision(.showPrimer, .tapped) }
    return PrimingDecision(.showPrimer, facts.postponedAt == nil ? .neverAsked : .cooldownOver)
  }

  /// Whether an action is one after which asking is allowed: any when the policy names none.
  public func isValueAction(_ action: String) -> Bool {
    guard let actions, !actions.isEmpty else { return true }
    return actions.contains { $0.utf8.elementsEqual(action.utf8) }
  }
}

extension NotificationSettings {
  /// Whether the user has switched off something a notification is noticed by.
  var hasDisabled: Bool {
    [alert, sound, badge, lockScreen, notificationCenter].contains { $0 == .disabled }
  }
}
