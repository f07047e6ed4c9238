import CBenchAllocations

/// Counts what a piece of computing allocates.
enum Allocations {
  /// Whether this build counts them; a sanitizer brings its own allocator.
  static var areCounted: Bool { carillon_bench_counts_allocations() }

  /// Allocations of one call, once everything that is made only once has been made.
  static func perCall(_ body: () -> Int) -> Double {
    let calls = 10
    var sum = body() &+ body()
    let before = carillon_bench_allocations()
    for _ in 0..<calls { sum &+= body() }
    let used = carillon_bench_allocations() - before
    // Uses the sum, so that no call can be left out.
    return sum == Int.min ? 0 : Double(used) / Double(calls)
  }
}
