import CarillonModel
import Testing

/// Every order of up to six events of the protocol, at each point of which every question is asked. What must hold is
/// told from the list of events alone, not from the facts the protocol keeps.
@Suite struct PrimingEnumerationTests {
  static let moves: [PrimingMove] = [
    .event(.primingShown), .event(.primingAccepted), .event(.primingPostponed), .event(.dialogShown),
    .event(.tapped), .status(.authorized), .status(.denied), .status(.provisional), .days(4),
  ]
  static let longest = 6

  @Test(arguments: ["authorized", "provisional"]) func everyOrderOfEventsKeepsThePromises(_ level: String) {
    var rule = PrimingRule()
    rule.actions = ["reminder.created"]
    rule.level = level
    rule.maxPostpones = 2
    var tally = Tally()
    walk(PrimingWorld(), rule, &tally)
    // 9 + 81 + … + 9^6, and the beginning.
    #expect(tally.worlds == 597_871)
    #expect(tally.broken.isEmpty, "\(tally.broken.prefix(5))")
    // Each step is reached: none of the promises holds because nothing ever happens.
    let reached: Set<PrimingStep> =
      level == "authorized"
      ? [.none, .wait, .showPrimer, .showDialog, .openSettings] : Set(PrimingStep.allCases)
    #expect(tally.steps == reached)
  }

  private struct Tally {
    var worlds = 0
    var steps: Set<PrimingStep> = []
    var broken: [String] = []
  }

  private func walk(_ world: PrimingWorld, _ rule: PrimingRule, _ tally: inout Tally) {
    tally.worlds += 1
    let story = Story(world)
    for action in [nil, "reminder.created", "app.launched"] {
      for context in [nil, PrimingQuestion.featureDegraded] {
        let decision = world.ask(rule, action, context: context)
        tally.steps.insert(decision.step)
        if let broken = story.broken(by: decision, action, context, rule) {
          tally.broken.append("\(broken): \(decision) to \(action ?? "-") after \(world.moves)")
        }
      }
    }
    guard world.moves.count < Self.longest else { return }
    for move in Self.moves {
      var next = world
      next.move(move)
      walk(next, rule, &tally)
    }
  }
}

/// What a list of events says, read without the protocol.
private struct Story {
  var isDialogGone = false
  var status = AuthorizationStatus.notDetermined
  var taps = 0
  var postpones = 0
  /// The newest answer to the app's own screen.
  var screen: PrimingMove?
  var daysSincePostponed: Int64?

  init(_ world: PrimingWorld) {
    for move in world.moves {
      switch move {
      case .event(.primingPostponed):
        postpones += 1
        daysSincePostponed = 0
        screen = move
      case .event(.primingAccepted): screen = move
      case .event(.dialogShown): isDialogGone = true
      case .event(.tapped): taps += 1
      case .event(.primingShown): break
      case .status(let status):
        self.status = status
        if status == .authorized || status == .denied { isDialogGone = true }
      case .days(let days): daysSincePostponed = daysSincePostponed.map { $0 + days }
      }
    }
  }

  private var isOpen: Bool { status == .notDetermined || status == .provisional && taps > 0 }

  /// The first promise that a decision breaks.
  func broken(
    by decision: PrimingDecision, _ action: String?, _ context: String?, _ rule: PrimingRule
  ) -> String? {
    let asks = [.showPrimer, .showDialog, .requestProvisional].contains(decision.step)
    let isValueAction = action == "reminder.created"
    let isRefused = screen == .event(.primingPostponed)
    let isOver = isRefused && postpones >= rule.maxPostpones
    let isWaiting = isRefused && !isOver && (daysSincePostponed ?? 0) < 7
    if asks, !isValueAction { return "asks without a value action" }
    if decision.step == .wait, !isValueAction { return "speaks at launch" }
    if asks, isDialogGone { return "asks after the dialog is gone" }
    if asks, status == .denied || status == .authorized { return "asks where an answer stands" }
    if decision.step == .showDialog, screen != .event(.primingAccepted) { return "a dialog nobody agreed to" }
    if decision.step == .openSettings, context == nil { return "Settings where nothing lacks" }
    if asks, status == .provisional, taps == 0 { return "a promotion without a tap" }
    if (decision.evidence != nil) != (status == .provisional && asks) {
      return "evidence for nothing, or none"
    }
    if let evidence = decision.evidence, evidence.taps != taps { return "wrong evidence" }
    if asks, isOver { return "asks too often" }
    if asks, isWaiting { return "asks too soon" }
    if (decision.retryAt != nil) != (decision.step == .wait) { return "a time without waiting" }
    if decision.step == .requestProvisional, rule.level != "provisional" || status == .provisional {
      return "a quiet trial nobody wants"
    }
    // And nobody is forgotten: what may be asked is.
    let mayAsk = isOpen && !isDialogGone && isValueAction && !isOver
    if mayAsk, asks == isWaiting { return "does not ask" }
    if mayAsk, isWaiting, decision.step != .wait { return "does not say to wait" }
    if !mayAsk, decision.step == .wait { return "waits for nothing" }
    if status == .denied, context != nil, decision.step != .openSettings { return "no way out of a denial" }
    // "Later" never spends the dialog.
    if status == .notDetermined, !isDialogGone, isValueAction, screen == .event(.primingAccepted),
      rule.level == "authorized", decision.step != .showDialog
    {
      return "a yes leads nowhere"
    }
    return nil
  }
}
