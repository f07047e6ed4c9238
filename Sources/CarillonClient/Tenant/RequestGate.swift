import Synchronization

/// Lets so many in at a time; the others wait in the order they came. One that is cancelled leaves the row.
final class RequestGate: Sendable {
  private struct State {
    var free: Int
    var next = 0
    /// In the order they came.
    var waiting: [(ticket: Int, answer: CheckedContinuation<Bool, Never>)] = []
  }

  private let state: Mutex<State>

  init(_ places: Int) {
    precondition(places > 0, "a gate nobody fits through")
    state = Mutex(State(free: places))
  }

  /// False: the task was cancelled before there was a place.
  func enter() async -> Bool {
    let ticket = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now = state.withLock { state -> Bool? in
          // Set before the handler runs, which may come too early to find this one in the row.
          if Task.isCancelled { return false }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.waiting.append((ticket, continuation))
          return nil
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      let answer = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return state.waiting.remove(at: index).answer
      }
      answer?.resume(returning: false)
    }
  }

  /// For each ``enter()`` that was true.
  func leave() {
    let answer = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().answer
    }
    answer?.resume(returning: true)
  }
}
