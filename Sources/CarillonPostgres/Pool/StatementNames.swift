import Glibc

/// The short names under which a pool's connections keep statements prepared: one number a statement.
final class StatementNames {
  /// A number and C strings made once, so that the hot path neither formats nor copies.
  private(set) var sources: [Statement.Source] = []
  private var numbers: [String: Int] = [:]

  /// Traps when the name already stands for another text.
  func number(of source: Statement.Source) -> Int {
    if let number = numbers[source.name] {
      precondition(sources[number].sql == source.sql, "two statements are named \(source.name)")
      return number
    }
    numbers[source.name] = sources.count
    sources.append(source)
    return sources.count - 1
  }
}

/// Which statements one connection has prepared.
///
/// A name is counted as prepared only when the server said so: a PREPARE that failed, or was skipped because an
/// earlier statement of its batch failed, leaves it free.
struct PreparedStatements {
  private enum State { case absent, sent, prepared }

  private struct Slot {
    var state = State.absent
    /// Counts names given up because the server's plan no longer fits: they stay occupied on the server.
    var generation = 0
    var name: [CChar]
  }

  private var slots: [Slot] = []

  /// Calls `body` with the server's name for a statement, and whether it must be prepared first.
  mutating func use<R>(_ number: Int, _ body: (UnsafePointer<CChar>, _ mustPrepare: Bool) -> R) -> R {
    while slots.count <= number { slots.append(Slot(name: Self.name(slots.count, 0))) }
    let mustPrepare = slots[number].state == .absent
    if mustPrepare { slots[number].state = .sent }
    return slots[number].name.withUnsafeBufferPointer { body($0.baseAddress!, mustPrepare) }
  }

  mutating func didPrepare(_ number: Int, _ succeeded: Bool) {
    slots[number].state = succeeded ? .prepared : .absent
  }

  /// A statement under a prepared name failed.
  mutating func didFail(_ number: Int, sqlState: String?) {
    switch sqlState {
    case "26000":
      slots[number].state = .absent
    case "0A000":
      slots[number].state = .absent
      slots[number].generation += 1
      slots[number].name = Self.name(number, slots[number].generation)
    default: break
    }
  }

  private static func name(_ number: Int, _ generation: Int) -> [CChar] {
    Array((generation == 0 ? "s\(number)" : "s\(number)_\(generation)").utf8CString)
  }
}
