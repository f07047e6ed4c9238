import Glibc

/// Times a piece of computing on one thread.
///
/// CPU time of the thread is read, not the clock: on a shared machine others take turns on the core, and their turns
/// are not part of the work.
struct Sampler {
  /// How long a sample runs at least, in seconds.
  var seconds: Double
  private static let slices = 9

  init(seconds: Double) { self.seconds = seconds }

  /// Nanoseconds a call: the median of slices that together run as long as asked.
  ///
  /// - Parameter body: returns something that depends on all its work, so that none of it can be left out.
  func nanoseconds(_ body: () -> Int) -> Double {
    var sum = body()
    var calls = 1
    // As many calls as fill a slice.
    while true {
      let used = Self.time(calls, body, &sum)
      if used >= seconds / Double(Self.slices) { break }
      let wanted = Double(calls) * seconds / Double(Self.slices) / max(used, 1e-7) * 1.1
      calls = max(calls + 1, min(Int(wanted), calls * 100))
    }
    let used = (0..<Self.slices).map { _ in Self.time(calls, body, &sum) / Double(calls) }.sorted()
    Self.keep(sum)
    return used[Self.slices / 2] * 1e9
  }

  private static func time(_ calls: Int, _ body: () -> Int, _ sum: inout Int) -> Double {
    let start = now()
    for _ in 0..<calls { sum &+= body() }
    return now() - start
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The optimiser cannot know that nobody looks.
  @inline(never)
  private static func keep(_ sum: Int) {
    if sum == Int.min { print("") }
  }
}
