import Synchronization

/// Hands each event to all who listen.
final class EventFeed: Sendable {
  private struct Listener {
    weak var queue: EventQueue?
  }

  private let listeners = Mutex<[Listener]>([])

  deinit {
    for listener in listeners.withLock({ $0 }) { listener.queue?.end() }
  }

  func stream() -> AsyncStream<Carillon.Event> {
    let queue = EventQueue()
    listeners.withLock { listeners in
      listeners.removeAll { $0.queue == nil }
      listeners.append(Listener(queue: queue))
    }
    return AsyncStream(unfolding: { await queue.next() }, onCancel: { queue.end() })
  }

  func tell(_ kinds: [Carillon.Event.Kind]) {
    let queues = listeners.withLock { $0.compactMap(\.queue) }
    for queue in queues {
      for kind in kinds { queue.append(kind) }
    }
  }
}

/// The events that one listener has not taken yet, the newest.
final class EventQueue: Sendable {
  private typealias Taker = CheckedContinuation<Carillon.Event?, Never>

  private struct State {
    var waiting: [Carillon.Event] = []
    var takers: [Taker] = []
    var hasEnded = false
  }

  private enum Turn {
    case take(Carillon.Event?)
    case wait
  }

  private let state = Mutex(State())

  func append(_ kind: Carillon.Event.Kind) {
    let taker = state.withLock { state -> Taker? in
      guard !state.hasEnded else { return nil }
      if !state.takers.isEmpty { return state.takers.removeFirst() }
      state.waiting.append(Carillon.Event(kind))
      if state.waiting.count > Carillon.eventLimit {
        let lost = state.waiting.removeFirst()
        state.waiting[0].dropped += lost.dropped + 1
      }
      return nil
    }
    taker?.resume(returning: Carillon.Event(kind))
  }

  /// Nil after the end, when what waited has been taken.
  func next() async -> Carillon.Event? {
    await withCheckedContinuation { continuation in
      let turn = state.withLock { state -> Turn in
        if !state.waiting.isEmpty { return .take(state.waiting.removeFirst()) }
        if state.hasEnded { return .take(nil) }
        state.takers.append(continuation)
        return .wait
      }
      if case .take(let event) = turn { continuation.resume(returning: event) }
    }
  }

  func end() {
    let takers = state.withLock { state in
      state.hasEnded = true
      defer { state.takers = [] }
      return state.takers
    }
    for taker in takers { taker.resume(returning: nil) }
  }
}
