import Synchronization

/// 0, 1, 2, … for all connections of a load.
final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// True once.
final class Once: Sendable {
  private let isTaken = Atomic<Bool>(false)

  func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}
