/// Instants in ascending order, asked mostly for times near the last one asked for.
struct SortedTimes {
  private(set) var times: [Int64] = []
  /// Where the last answer was.
  private var hint = 0

  var count: Int { times.count }
  subscript(index: Int) -> Int64 { times[index] }

  /// The index of the first instant beyond `time`.
  mutating func firstIndex(after time: Int64) -> Int {
    let found = times.withUnsafeBufferPointer { Self.firstIndex(after: time, in: $0, from: hint) }
    hint = found
    return found
  }

  /// Looks in steps that double, from where the last answer was.
  private static func firstIndex(
    after time: Int64, in times: UnsafeBufferPointer<Int64>, from hint: Int
  ) -> Int {
    var low = 0
    var high = times.count
    let start = min(hint, high)
    var step = 1
    if start < high, times[start] <= time {
      low = start + 1
      while low + step < high, times[low + step] <= time {
        low += step + 1
        step *= 2
      }
      high = min(high, low + step)
    } else {
      high = start
      while high - step >= low, times[high - step] > time {
        high -= step
        step *= 2
      }
      low = max(low, high - step)
    }
    while low < high {
      let middle = (low + high) / 2
      if times[middle] > time { high = middle } else { low = middle + 1 }
    }
    return low
  }

  mutating func insert(_ time: Int64) {
    if times.last.map({ $0 <= time }) ?? true {
      times.append(time)
    } else {
      times.insert(time, at: firstIndex(after: time))
    }
  }

  /// To be followed by ``settle(from:)``.
  mutating func append(_ time: Int64) { times.append(time) }

  /// Brings what was appended since the count was `start` into order.
  mutating func settle(from start: Int) {
    let firstUnsettled = max(start, 1)
    guard firstUnsettled < times.count else { return }
    for index in firstUnsettled..<times.count where times[index - 1] > times[index] {
      times.sort()
      return
    }
  }
}
