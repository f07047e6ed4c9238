import CarillonClient
import CarillonTesting
import Synchronization

final class ReadCount: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .sequentiallyConsistent) }
  func increase() { count.add(1, ordering: .sequentiallyConsistent) }
}

/// Puts for one device, counted as they are read.
struct CountedOperations: AsyncSequence {
  let device: DeviceID
  let count: Int
  let counter: ReadCount

  func makeAsyncIterator() -> Iterator { Iterator(all: self) }

  struct Iterator: AsyncIteratorProtocol {
    let all: CountedOperations
    var next = 0

    mutating func next() async -> BatchOperation? {
      guard next < all.count else { return nil }
      defer { next += 1 }
      all.counter.increase()
      return BatchOperation(.put(reminder("a.\(next)", after: 3600)), for: .device(all.device))
    }
  }
}

extension Array where Element: Sendable {
  var async: AsyncStream<Element> {
    AsyncStream { continuation in
      for element in self { continuation.yield(element) }
      continuation.finish()
    }
  }
}

/// Gives way before it sends, and counts how many are under way.
final class SlowTransport: Transport {
  private let next: any Transport
  private let state = Mutex((now: 0, most: 0))

  init(_ next: any Transport) { self.next = next }

  var most: Int { state.withLock { $0.most } }

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    state.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
    defer { state.withLock { $0.now -= 1 } }
    for _ in 0..<20 { await Task.yield() }
    return try await next.send(request)
  }
}
