import CLinux

/// Names one timer of a loop.
public struct TimerToken: Hashable, Sendable {
  let deadline: UInt64
  let number: UInt64

  func isBefore(_ other: TimerToken) -> Bool {
    (deadline, number) < (other.deadline, other.number)
  }
}

/// A point on the monotonic clock, in nanoseconds.
struct Deadline {
  let nanoseconds: UInt64

  /// A negative delay is none; one of more than a century is a century.
  static func now(plus delay: Duration) -> Deadline {
    let delay = min(max(delay, .zero), .seconds(100 * 365 * 86_400))
    let (seconds, attoseconds) = delay.components
    let offset = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    return Deadline(nanoseconds: clinux_monotonic_nanoseconds() + offset)
  }
}

/// Timers in order of their deadline: a binary heap of tokens whose cancelled ones are dropped when they
/// surface; the actions lie beside it, so that cancelling lets go of what they hold at once.
final class TimerQueue {
  private var heap: [TimerToken] = []
  private var actions: [UInt64: () -> Void] = [:]
  private var counter: UInt64 = 0

  func add(at deadline: Deadline, _ action: @escaping () -> Void) -> TimerToken {
    counter += 1
    let token = TimerToken(deadline: deadline.nanoseconds, number: counter)
    actions[counter] = action
    heap.append(token)
    siftUp(from: heap.count - 1)
    return token
  }

  func cancel(_ token: TimerToken) {
    actions[token.number] = nil
    // Cancelled tokens would pile up behind a far deadline: rebuild when most of the heap is dead.
    if heap.count > 64, actions.count < heap.count / 2 {
      heap = heap.filter { actions[$0.number] != nil }.sorted { $0.isBefore($1) }
    }
  }

  func removeAll() {
    heap = []
    actions = [:]
  }

  /// Nil when no timer is set.
  func untilNext() -> Duration? {
    dropCancelled()
    guard let next = heap.first else { return nil }
    let now = clinux_monotonic_nanoseconds()
    return next.deadline <= now ? .zero : .nanoseconds(Int64(next.deadline - now))
  }

  /// Calls every timer that is due now; one set by such a call waits for the next turn.
  func fire() {
    guard !heap.isEmpty else { return }
    let now = clinux_monotonic_nanoseconds()
    let newest = counter
    while let next = heap.first, next.deadline <= now, next.number <= newest {
      removeFirst()
      actions.removeValue(forKey: next.number)?()
    }
  }

  private func dropCancelled() {
    while let next = heap.first, actions[next.number] == nil { removeFirst() }
  }

  private func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    siftDown()
  }

  private func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].isBefore(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
