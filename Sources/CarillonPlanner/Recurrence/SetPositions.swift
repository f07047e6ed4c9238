/// BYSETPOS made ready: which of a period's times are chosen, when the period has so many.
struct SetPositions: Hashable, Sendable {
  /// From the first, which is 1; ascending, each once.
  private let fromStart: [Int]
  /// From the last, which is 1; ascending, each once.
  private let fromEnd: [Int]

  /// - Parameter most: what no period has more times than; places beyond are left out.
  init(_ positions: [Int], most: Int) {
    func places(_ sign: Int) -> [Int] {
      Set(positions.map { $0 * sign }).filter { (1...most).contains($0) }.sorted()
    }
    fromStart = places(1)
    fromEnd = places(-1)
  }

  /// Fewer times than that, and none is chosen; nil when no period has one.
  var fewest: Int? {
    guard let first = fromStart.first else { return fromEnd.first }
    return min(first, fromEnd.first ?? first)
  }

  /// Places from 0, ascending, each once.
  func forEach(among count: Int, _ body: (Int) -> Void) {
    var start = 0
    // The farthest from the end comes first.
    var end = fromEnd.count - 1
    while end >= 0, fromEnd[end] > count { end -= 1 }
    while true {
      let one = start < fromStart.count && fromStart[start] <= count ? fromStart[start] - 1 : .max
      let other = end >= 0 ? count - fromEnd[end] : .max
      let place = min(one, other)
      if place == .max { return }
      if one == place { start += 1 }
      if other == place { end -= 1 }
      body(place)
    }
  }

  func chosenCount(among count: Int) -> Int {
    var chosen = 0
    forEach(among: count) { _ in chosen += 1 }
    return chosen
  }
}
