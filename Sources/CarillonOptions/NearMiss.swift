/// Finds what somebody meant by a word that does not exist.
public enum NearMiss {
  /// The candidate with the fewest slips of a typist, or one that the word begins; nil when none is close.
  public static func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
    let typed = Array(word.lowercased())
    guard !typed.isEmpty else { return nil }
    let limit = max(1, typed.count / 3)
    let best =
      candidates
      .map { (candidate: $0, distance: distance(typed, Array($0.lowercased()))) }
      .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }
    if let best, best.distance <= limit { return best.candidate }
    guard typed.count >= 2 else { return nil }
    return candidates.filter { $0.lowercased().hasPrefix(word.lowercased()) }.min()
  }

  /// The Damerau–Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and
  /// swaps of neighbours, one each.
  public static func distance(_ left: String, _ right: String) -> Int {
    distance(Array(left), Array(right))
  }

  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let differs = left[row] == right[column] ? 0 : 1
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + differs)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
