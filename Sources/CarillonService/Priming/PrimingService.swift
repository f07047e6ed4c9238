import CarillonModel
import CarillonPlanner
import CarillonStore

/// Answers the question for the next step on the way to permission, and keeps what was answered.
public final class PrimingService {
  private let store: Store
  private let policies: PolicyCache

  public init(store: Store, policies: PolicyCache) {
    self.store = store
    self.policies = policies
  }

  /// Of several questions at once each is answered by the same facts, one after the other: the answer is kept only if
  /// the device has not changed since it was found.
  ///
  /// - Parameter keeping: for a request that may come again; nil: nothing is kept for it.
  public func answer(
    _ question: PrimingQuestion, tenant: TenantID, device: DeviceID,
    keeping: Keeping<PrimingDecision>? = nil, now: Instant
  ) async throws(ServiceError) -> PrimingDecision {
    for _ in 0..<Attempts.maximum {
      let snapshot = try await storing { () async throws(StoreError) in
        try await store.loadPriming(
          tenant: tenant, device: device, knownPolicyVersion: policies.knownVersion(of: tenant))
      }
      guard let stored = snapshot.device else { throw .noSuchDevice }
      guard let policy = try policies.policy(of: tenant, in: snapshot) else { continue }
      let decision = policy.policy.policy.priming.decide(
        question, facts: snapshot.facts, state: stored.state, now: now)
      let draft = keeping?.draft(decision, now: now)
      // A question that says nothing, as at launch, is nothing to report on.
      if question == PrimingQuestion() {
        if let draft {
          _ = try await storing { () async throws(StoreError) in
            try await store.keep(draft, tenant: tenant, device: device)
          }
        }
        return decision
      }
      let answered = AnsweredPriming(question: question, step: decision.step, reason: decision.reason)
      let isKept = try await storing { () async throws(StoreError) in
        try await store.keepPrimingAnswer(
          answered, expected: stored.rowVersion, tenant: tenant, device: device, keeping: draft, now: now)
      }
      if isKept { return decision }
    }
    throw .contention
  }
}
