/// The moves of one request, the first one first.
///
/// Part of a list that all requests of a plan share: a plan moves many and is made often, and none of them needs memory
/// of its own.
public struct Moves: Sendable {
  private var shared: [Move]
  private var first: Int32
  private var number: Int32

  public init(_ moves: [Move]) {
    shared = moves
    first = 0
    number = Int32(moves.count)
  }

  /// - Parameters:
  ///   - shared: the moves of many requests.
  ///   - first: index of this one's first.
  ///   - count: how many are its own.
  public init(of shared: [Move], from first: Int, count: Int) {
    self.shared = shared
    self.first = Int32(truncatingIfNeeded: first)
    number = Int32(truncatingIfNeeded: count)
  }

  public mutating func append(_ move: Move) { self = Moves(Array(self) + [move]) }
}

extension Moves: RandomAccessCollection, ExpressibleByArrayLiteral {
  public init(arrayLiteral moves: Move...) { self.init(moves) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { Int(number) }
  public subscript(index: Int) -> Move {
    precondition(index >= 0 && index < number, "there is no such move")
    return shared[Int(first) + index]
  }
}

extension Moves: Hashable {
  public static func == (left: Moves, right: Moves) -> Bool { left.elementsEqual(right) }
  public func hash(into hasher: inout Hasher) { hasher.combine(Array(self)) }
}
