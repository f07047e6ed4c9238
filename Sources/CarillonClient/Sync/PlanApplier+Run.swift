import CarillonModel

extension PlanApplier {
  /// Does what the applier says on a center.
  mutating func run(on center: any NotificationCenterClient, effects: Effects) async -> AppliedPlan {
    var action = start()
    while true {
      let event: Event
      switch action {
      case .readPending: event = .pending(await center.pendingRequests())
      case .remove(let ids):
        await center.removePendingRequests(withIdentifiers: ids)
        event = .removed
      case .wait(let seconds):
        // A cancelled task waits no more, but never stops between the removes and the adds.
        try? await effects.sleep(seconds)
        event = .waited
      case .add(let request):
        do {
          try await center.add(request)
          event = .added
        } catch {
          event = .refused(error)
        }
      case .finish(let result): return result
      }
      action = next(after: event, now: effects.now())
    }
  }
}
