import CarillonAPI
import CarillonModel
import CarillonStore

extension PrimingReport {
  /// What to keep; nil: nothing.
  ///
  /// - Parameters:
  ///   - before: the facts before the report.
  ///   - decision: the answer to its question.
  func change(from before: PrimingFacts, _ decision: PrimingDecision) -> PrimingChange? {
    let isAsked = question != PrimingQuestion() && isNews
    guard isAsked || facts != before else { return nil }
    return PrimingChange(
      facts: facts == before ? nil : facts,
      answered: isAsked
        ? AnsweredPriming(question: question, step: decision.step, reason: decision.reason) : nil)
  }
}

extension PrimingRule {
  func decide(
    _ question: PrimingQuestion, facts: PrimingFacts, state: DeviceState, now: Instant
  ) -> PrimingDecision {
    decide(question, facts: facts, status: state.authorizationStatus, settings: state.settings, now: now)
  }
}
