import CLinux

/// Names one timer of a loop.
public struct TimerToken: Hashable, Sendable {
  let deadline: UInt64
  let number: UInt64
}

/// A point on the monotonic clock, in nanoseconds.
struct Deadline {
  let nanoseconds: UInt64

  static func now(plus delay: Duration) -> Deadline {
    let (seconds, attoseconds) = delay.components
    let offset = max(0, seconds) * 1_000_000_000 + attoseconds / 1_000_000_000
    return Deadline(nanoseconds: clinux_monotonic_nanoseconds() &+ UInt64(max(0, offset)))
  }
}

/// Timers in order of their deadline; a binary heap whose cancelled entries are dropped when they surface.
final class TimerQueue {
  private struct Entry {
    let token: TimerToken
    let action: () -> Void

    func isBefore(_ other: Entry) -> Bool {
      (token.deadline, token.number) < (other.token.deadline, other.token.number)
    }
  }

  private var heap: [Entry] = []
  private var live: Set<TimerToken> = []
  private var counter: UInt64 = 0

  func add(at deadline: Deadline, _ action: @escaping () -> Void) -> TimerToken {
    counter += 1
    let token = TimerToken(deadline: deadline.nanoseconds, number: counter)
    live.insert(token)
    heap.append(Entry(token: token, action: action))
    siftUp(from: heap.count - 1)
    return token
  }

  func cancel(_ token: TimerToken) {
    live.remove(token)
    // Cancelled entries would pile up behind a far deadline: rebuild when most of the heap is dead.
    if heap.count > 64, live.count < heap.count / 2 {
      heap = heap.filter { live.contains($0.token) }.sorted { $0.isBefore($1) }
    }
  }

  /// Nil when no timer is set.
  func untilNext() -> Duration? {
    dropCancelled()
    guard let next = heap.first else { return nil }
    let now = clinux_monotonic_nanoseconds()
    return next.token.deadline <= now ? .zero : .nanoseconds(Int64(next.token.deadline - now))
  }

  /// Calls every timer that is due now; one set by such a call waits for the next turn.
  func fire() {
    guard !heap.isEmpty else { return }
    let now = clinux_monotonic_nanoseconds()
    let newest = counter
    while let next = heap.first, next.token.deadline <= now, next.token.number <= newest {
      removeFirst()
      if live.remove(next.token) != nil { next.action() }
    }
  }

  private func dropCancelled() {
    while let next = heap.first, !live.contains(next.token) { removeFirst() }
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
