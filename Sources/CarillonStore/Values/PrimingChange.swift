import CarillonJSON
import CarillonModel

/// What one request changes of what is known of priming; `carillon.record_priming` takes it in.
public struct PrimingChange: Hashable, Sendable {
  /// Nil: as they were.
  public var facts: PrimingFacts?
  /// What was answered to a question; nil: nothing was asked.
  public var answered: AnsweredPriming?

  public init(facts: PrimingFacts? = nil, answered: AnsweredPriming? = nil) {
    self.facts = facts
    self.answered = answered
  }

  /// The function's parameter; nil when there is nothing to take in.
  var document: [UInt8]? {
    guard facts != nil || answered != nil else { return nil }
    var writer = JSONWriter()
    writer.object { writer in
      if let facts {
        writer.name("facts")
        facts.writeColumns(to: &writer)
      }
      if let answered {
        writer.name("answered")
        answered.writeColumns(to: &writer)
        writer.member("most", Store.mostPrimingSteps)
      }
    }
    return writer.bytes
  }
}

/// A question for the next step, and its answer.
public struct AnsweredPriming: Hashable, Sendable {
  public var question: PrimingQuestion
  public var step: PrimingStep
  public var reason: PrimingReason

  public init(question: PrimingQuestion, step: PrimingStep, reason: PrimingReason) {
    self.question = question
    self.step = step
    self.reason = reason
  }
}

/// One line of a device's history of answers.
public struct StoredPrimingStep: Hashable, Sendable {
  public var at: Instant
  public var answered: AnsweredPriming

  public init(at: Instant, answered: AnsweredPriming) {
    self.at = at
    self.answered = answered
  }
}

/// What the next step is decided from.
public struct PrimingSnapshot: Sendable {
  /// The tenant's current policy version; 0 before the first.
  public var policyVersion: Int
  /// Nil when the caller knows this version, and when there is none.
  public var policyDocument: [UInt8]?
  public var device: StoredDevice?
  public var facts: PrimingFacts
}

extension AnsweredPriming {
  fileprivate func writeColumns(to writer: inout JSONWriter) {
    writer.object { writer in
      if let action = question.action { writer.member("action", action) }
      if let context = question.context { writer.member("context", context) }
      writer.member("step", step.rawValue)
      writer.member("reason", reason.rawValue)
    }
  }
}

extension PrimingFacts {
  fileprivate func writeColumns(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("primer_shown_at", orNull: primerShownAt)
      writer.member("accepted_at", orNull: acceptedAt)
      writer.member("postponed_at", orNull: postponedAt)
      writer.member("postpones", postpones)
      if let screenAnswer { writer.member("screen_answer", screenAnswer.rawValue) }
      writer.member("dialog_shown_at", orNull: dialogShownAt)
      if let systemAnswer { writer.member("system_answer", systemAnswer.rawValue) }
      writer.member("system_answered_at", orNull: systemAnsweredAt)
      writer.member("taps", taps)
      writer.member("tapped_at", orNull: tappedAt)
    }
  }
}
