import CarillonAPI
import CarillonModel

extension Carillon {
  /// Something that happened to this installation, as ``Carillon/events`` tells it.
  public struct Event: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
      /// The server has answered, and what it planned was carried out.
      case synced(planVersion: Int)
      /// What the device holds has changed.
      case applied(AppliedPlan)
      /// Read back, the device holds less or more than it was told to; the next sync heals it.
      case drifted(dropped: [NotificationID], remaining: [NotificationID])
      /// The server refused one of the app's wishes, and took the others.
      case refused(RejectedItem)
      case noticed(SyncNotice)
      /// There was no answer, or the server has no time. What was to be told is kept for the next sync.
      case postponed(CarillonError)
      /// The server could not be reached, and this device planned by itself; what it came to hold by that.
      case plannedHere(AppliedPlan)
      /// The sync failed for a reason that does not pass by itself.
      case failed(CarillonError)
    }

    public var kind: Kind
    /// How many events this listener lost since the one before: it had not taken them, and newer ones came.
    public var dropped: Int

    public init(_ kind: Kind, dropped: Int = 0) {
      self.kind = kind
      self.dropped = dropped
    }
  }

  /// How many events wait for a listener that does not take them; of more, the oldest go and are counted.
  public static let eventLimit = 32

  /// What happens from now on. Each call gives a stream of its own; it ends with its task or with this SDK object.
  ///
  ///     for await event in carillon.events {
  ///       if case .noticed(let notice) = event.kind { log(notice) }
  ///     }
  public nonisolated var events: AsyncStream<Event> { feed.stream() }
}

extension Carillon.Event.Kind {
  /// What a sync amounts to, in the order in which it happened.
  static func kinds(of result: Result<SyncOutcome, CarillonError>) -> [Self] {
    switch result {
    case .success(let outcome):
      var kinds = outcome.notices.map(Self.noticed) + outcome.rejected.map(Self.refused)
      let applied = outcome.applied
      if !applied.isEmpty { kinds.append(.applied(applied)) }
      if !applied.dropped.isEmpty || !applied.remaining.isEmpty {
        kinds.append(.drifted(dropped: applied.dropped, remaining: applied.remaining))
      }
      return kinds + [.synced(planVersion: outcome.planVersion)]
    case .failure(let error): return [error.isRetryable ? .postponed(error) : .failed(error)]
    }
  }
}
