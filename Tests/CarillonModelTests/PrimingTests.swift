import CarillonJSON
import CarillonModel
import Testing

/// One step a test takes with an installation.
enum PrimingMove: Hashable, CustomStringConvertible {
  case event(PrimingEvent)
  case status(AuthorizationStatus)
  case days(Int64)

  var description: String {
    switch self {
    case .event(let event): event.rawValue
    case .status(let status): status.word
    case .days(let days): "\(days) d"
    }
  }
}

/// An installation and the time, moved on by moves.
struct PrimingWorld {
  var facts = PrimingFacts()
  var status = AuthorizationStatus.notDetermined
  var settings = NotificationSettings()
  var now = Instant(seconds: 1_796_000_000)
  var moves: [PrimingMove] = []

  init(_ moves: [PrimingMove] = []) { for move in moves { self.move(move) } }

  mutating func move(_ move: PrimingMove) {
    moves.append(move)
    switch move {
    case .event(let event): facts.note(event, at: now)
    case .status(let status):
      self.status = status
      facts.note(status, at: now)
    case .days(let days): now = now.adding(seconds: days * 86_400)
    }
  }

  func ask(_ rule: PrimingRule, _ action: String? = "reminder.created", context: String? = nil)
    -> PrimingDecision
  {
    rule.decide(
      PrimingQuestion(action: action, context: context), facts: facts, status: status, settings: settings,
      now: now)
  }
}

@Suite struct PrimingTests {
  static let rule = PrimingRule()
  static let degraded = PrimingQuestion.featureDegraded

  /// Field case 15, A to E.
  @Test(
    arguments: [
      ("A", [.event(.primingShown), .event(.primingPostponed), .days(8)], nil, PrimingStep.showPrimer),
      ("B", [.event(.primingShown), .event(.primingPostponed), .days(6)], nil, .wait),
      ("C", [.event(.primingShown), .event(.primingAccepted)], nil, .showDialog),
      ("D, degraded", [.event(.dialogShown), .status(.denied)], "featureDegraded", .openSettings),
      ("D", [.event(.dialogShown), .status(.denied)], nil, .none),
      ("E", [.event(.primingAccepted), .event(.dialogShown), .status(.notDetermined)], nil, .none),
    ] as [(String, [PrimingMove], String?, PrimingStep)])
  func fieldCase15(_ name: String, _ moves: [PrimingMove], _ context: String?, _ step: PrimingStep) {
    let decision = PrimingWorld(moves).ask(Self.rule, context: context)
    #expect(decision.step == step, "\(name)")
  }

  /// Field case 15 E: a callback that came before the user answered.
  @Test func anAnswerStaysUnknownUntilIOSTellsOne() {
    var world = PrimingWorld([.event(.dialogShown), .status(.notDetermined)])
    #expect(world.facts.dialogShownAt != nil && world.facts.systemAnswer == nil)
    #expect(world.ask(Self.rule).reason == .answerUnknown)
    world.move(.status(.authorized))
    #expect(world.facts.systemAnswer == .granted)
  }

  @Test func laterIsNoDenial() {
    let world = PrimingWorld([.event(.primingShown), .event(.primingPostponed)])
    #expect(!world.facts.isDialogSpent && world.facts.systemAnswer == nil)
    let decision = world.ask(Self.rule)
    #expect(decision == PrimingDecision(.wait, .coolingDown, retryAt: world.now.adding(seconds: 604_800)))
    var later = world
    later.now = world.now.adding(seconds: 604_800)
    #expect(later.ask(Self.rule) == PrimingDecision(.showPrimer, .cooldownOver))
    later.now = Instant(milliseconds: later.now.milliseconds - 1)
    #expect(later.ask(Self.rule).step == .wait)
  }

  @Test func afterTooManyPostponesNobodyAsks() {
    var world = PrimingWorld()
    for round in 1...3 {
      #expect(world.ask(Self.rule).step == .showPrimer, "\(round)")
      world.move(.event(.primingPostponed))
      world.move(.days(400))
    }
    #expect(world.ask(Self.rule) == PrimingDecision(.none, .postponedTooOften))
    // A yes on a screen that the app shows by itself still counts.
    world.move(.event(.primingAccepted))
    #expect(world.ask(Self.rule).step == .showDialog)
  }

  @Test(
    arguments: [
      (nil, nil, PrimingStep.none), (nil, "reminder.created", .showPrimer), (nil, "anything", .showPrimer),
      ([], "anything", .showPrimer), (["reminder.created"], "reminder.created", .showPrimer),
      (["reminder.created"], "anything", .none), (["reminder.created"], nil, .none),
    ] as [([String]?, String?, PrimingStep)])
  func onlyAValueActionGivesAStep(_ actions: [String]?, _ action: String?, _ step: PrimingStep) {
    var rule = PrimingRule()
    rule.actions = actions
    #expect(PrimingWorld().ask(rule, action).step == step)
  }

  @Test func aQuietTrialEndsWithATap() {
    var rule = PrimingRule()
    rule.level = "provisional"
    var world = PrimingWorld()
    #expect(world.ask(rule) == PrimingDecision(.requestProvisional, .quietTrial))
    world.move(.status(.provisional))
    #expect(world.ask(rule) == PrimingDecision(.none, .noTapYet))
    world.move(.event(.tapped))
    let evidence = PrimingEvidence(taps: 1, lastTapAt: world.now)
    #expect(world.ask(rule) == PrimingDecision(.showPrimer, .tapped, evidence: evidence))
    world.move(.event(.primingAccepted))
    #expect(world.ask(rule) == PrimingDecision(.showDialog, .accepted, evidence: evidence))
    #expect(world.ask(rule, nil).step == .none)
  }

  @Test(arguments: [
    (AuthorizationStatus.authorized, true, PrimingStep.openSettings), (.authorized, false, .none),
    (.denied, false, .openSettings), (.ephemeral, true, .none), (.unknown("whispered"), true, .none),
    (.notDetermined, true, .showPrimer), (.provisional, true, .none),
  ])
  func settingsAreForAFeatureThatLacksSomething(
    _ status: AuthorizationStatus, _ isSoundOff: Bool, _ step: PrimingStep
  ) {
    var world = PrimingWorld([.status(status)])
    world.settings.sound = isSoundOff ? .disabled : .enabled
    #expect(world.ask(Self.rule, context: Self.degraded).step == step)
    #expect(world.ask(Self.rule, context: "elsewhere").step != .openSettings)
  }

  @Test func aDecisionReadsAsItWasWritten() throws {
    for decision in [
      PrimingDecision(.none, .denied), PrimingDecision(.wait, .coolingDown, retryAt: Instant(seconds: 5)),
      PrimingDecision(
        .showPrimer, .tapped, evidence: PrimingEvidence(taps: 3, lastTapAt: Instant(seconds: 9))),
    ] {
      let read = try JSONReader.read(decision.json) { (reader) throws(JSONError) in
        try PrimingDecision(from: &reader)
      }
      #expect(read == decision)
    }
    let newer = try JSONReader.read(Array(#"{"step":"sing","reason":"joy","more":[1]}"#.utf8)) {
      (reader) throws(JSONError) in try PrimingDecision(from: &reader)
    }
    #expect(newer == PrimingDecision(.none, PrimingReason(rawValue: "joy")))
  }
}
