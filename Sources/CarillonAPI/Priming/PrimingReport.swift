import CarillonModel

/// What a report says of the way to permission: facts to keep, and perhaps a question.
public struct PrimingReport: Hashable, Sendable {
  /// An action older than this when it is reported gives no step: the user does something else by now, or the app has
  /// just been launched.
  public static let secondsAnActionIsFresh: Int64 = 3_600

  /// After the report.
  public private(set) var facts: PrimingFacts
  /// Asked by a value action in the report.
  public private(set) var question = PrimingQuestion()
  /// Whether the question is new, and not one that was answered before.
  public private(set) var isNews = false

  /// - Parameters:
  ///   - facts: before the report.
  ///   - known: the events the device has told before; none of them counts again.
  ///   - status: after the report.
  ///   - isEvidence: whether a tap is on a notification that was delivered to the device: any other says nothing about
  ///     ours.
  public init(
    _ report: SyncRequest, facts: PrimingFacts, known: Set<String>, status: AuthorizationStatus, now: Instant,
    isEvidence: (SyncEvent) -> Bool
  ) {
    self.facts = facts
    var told = known
    for event in report.events {
      let isNew = told.insert(event.id).inserted
      let age = report.age(of: event, now: now)
      let isStrange = event.kind == .tapped && !isEvidence(event)
      if isNew, !isStrange, let word = PrimingEvent(rawValue: event.kind.text) {
        self.facts.note(word, at: Instant(milliseconds: now.milliseconds - age))
      }
      let asked = PrimingQuestion(action: event.name, context: event.context)
      if event.kind == .valueAction, asked != PrimingQuestion(), age <= Self.secondsAnActionIsFresh * 1_000 {
        question = asked
        isNews = isNew
      }
    }
    self.facts.note(status, at: now)
  }
}

extension SyncRequest {
  /// How many milliseconds ago something happened. A device's clock is trusted to tell how long before the report it
  /// was, not at what moment: it may be set to anything. From 0 to ten years.
  package func age(of event: SyncEvent, now: Instant) -> Int64 {
    min(max(0, (sentAt ?? now).milliseconds - event.at.milliseconds), 315_360_000_000)
  }
}
