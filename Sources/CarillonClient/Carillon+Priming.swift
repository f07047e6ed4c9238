import CarillonAPI
import CarillonJSON
import CarillonModel

extension Carillon {
  /// Asks for the next step on the way to permission. What waits to be told of that way is told first.
  ///
  ///     switch try await carillon.primingStep(after: "reminder.created").step {
  ///     case .showPrimer: …          // then record(.primingShown), .primingAccepted or .primingPostponed
  ///     case .showDialog: …          // requestAuthorization, then record(.dialogShown)
  ///     case .requestProvisional: …  // requestAuthorization with .provisional, then sync()
  ///     case .openSettings: …        // a link to the app's page in Settings
  ///     case .wait, .none: break
  ///     }
  ///
  /// - Parameters:
  ///   - action: what of value the user has just done; nil: nothing, and nothing will be shown.
  ///   - context: ``PrimingQuestion/featureDegraded`` where a feature visibly lacks the permission.
  public func primingStep(
    after action: String?, context: String? = nil
  ) async throws(CarillonError) -> PrimingDecision {
    if try await hasWishes() { try await sync() }
    let question = PrimingQuestion(action: action, context: context)
    let body = try await ask(question.json) { .decidePriming($0) }
    return try CarillonError.reading(body) { (body) throws(JSONError) in try PrimingDecision(body) }
  }

  /// Tells what happened, once, and syncs. It is kept over a restart until the server knows it.
  ///
  /// - Parameters:
  ///   - kind: what happened.
  ///   - notification: that a tap or a dismissal is about.
  ///   - name: of a value action; ``SyncOutcome/priming`` then has the next step.
  ///   - context: of a value action, as in ``primingStep(after:context:)``.
  /// - Throws: as ``schedule(_:)``.
  @discardableResult
  public func record(
    _ kind: SyncEvent.Kind, notification: NotificationID? = nil, name: String? = nil,
    context: String? = nil
  ) async throws(CarillonError) -> SyncOutcome {
    try await take(.event(event(kind, notification: notification, name: name, context: context)))
  }
}

extension Carillon {
  /// The way to permission, for an app that has just done something of value for its user.
  public nonisolated var priming: Priming { Priming(carillon: self) }

  public struct Priming: Sendable {
    let carillon: Carillon

    /// Tells that the user did something of value, and gives the next step towards permission.
    ///
    ///     let step = try await carillon.priming.record(action: "reminder.created").step
    ///
    /// - Throws: as ``Carillon/schedule(_:)``.
    @discardableResult
    public func record(
      action: String, context: String? = nil
    ) async throws(CarillonError) -> PrimingDecision {
      try await carillon.record(.valueAction, name: action, context: context).priming
    }
  }
}
