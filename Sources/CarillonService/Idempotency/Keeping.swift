import CarillonModel
import CarillonStore

/// How a use case keeps its answer together with its effect, for the request that comes again.
public struct Keeping<Answer> {
  public let key: IdempotencyKey
  private let render: (Answer) -> KeptAnswer

  /// - Parameter render: what the caller will answer; called before the effect, and perhaps for nothing.
  public init(_ key: IdempotencyKey, render: @escaping (Answer) -> KeptAnswer) {
    self.key = key
    self.render = render
  }

  func draft(_ answer: Answer, now: Instant) -> AnswerDraft {
    AnswerDraft(key: key, answer: render(answer), now: now)
  }
}
