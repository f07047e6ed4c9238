/// Instants in ascending order, asked mostly for times near the last one asked for.
///
/// The one owner of its memory: placing asks and inserts thousands of times, and pays for nothing else. Behind the last
/// instant stands one that no time reaches, so that a walk needs no bound.
struct SortedTimes: ~Copyable {
  private var base: UnsafeMutablePointer<Int64>
  private var capacity: Int
  private(set) var count = 0
  /// Where the last answer was.
  private var hint = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 16)
    base = .allocate(capacity: self.capacity)
    base[0] = .max
  }

  deinit { base.deallocate() }

  /// - Parameter index: up to ``count``, whose instant is the greatest there is.
  @inline(__always)
  subscript(index: Int) -> Int64 { base[index] }

  /// The index of the first instant beyond `time`; looks in steps that double, from where the last answer was.
  @inline(__always)
  mutating func firstIndex(after time: Int64) -> Int {
    var low = 0
    var high = count
    var step = 1
    if hint < count, base[hint] <= time {
      low = hint &+ 1
      while low &+ step < high, base[low &+ step] <= time {
        low &+= step &+ 1
        step &*= 2
      }
      high = min(high, low &+ step)
    } else {
      high = hint
      while high &- step >= 0, base[high &- step] > time {
        high &-= step
        step &*= 2
      }
      low = max(0, high &- step)
    }
    while low < high {
      let middle = (low &+ high) / 2
      if base[middle] > time { high = middle } else { low = middle &+ 1 }
    }
    hint = low
    return low
  }

  @inline(__always)
  mutating func insert(_ time: Int64) {
    if count &+ 1 == capacity { grow() }
    if count == 0 || base[count &- 1] <= time {
      base[count] = time
      base[count &+ 1] = .max
    } else {
      makeRoom(for: time)
    }
    count &+= 1
  }

  /// Inserts many that are in order.
  mutating func insert(_ times: Slice<UnsafeBufferPointer<Int64>>) {
    while count &+ times.count >= capacity { grow() }
    guard let first = times.first, count == 0 || base[count &- 1] <= first else {
      for time in times { insert(time) }
      return
    }
    (base + count).update(from: times.base.baseAddress! + times.startIndex, count: times.count)
    count &+= times.count
    base[count] = .max
  }

  private mutating func makeRoom(for time: Int64) {
    let place = firstIndex(after: time)
    (base + place + 1).update(from: base + place, count: count &- place &+ 1)
    base[place] = time
  }

  /// Inserts the points of a grid.
  mutating func merge(from first: Int64, by period: Int64, count added: Int) {
    merge(count: added) { first &+ Int64($0) &* period }
  }

  /// Inserts many that are in order, among those that are there.
  mutating func merge(_ added: [Int64]) {
    if added.count == 1 { return insert(added[0]) }
    added.withUnsafeBufferPointer { added in merge(count: added.count) { added[$0] } }
  }

  /// From the last one backward, so that each is moved once.
  @inline(__always)
  private mutating func merge(count added: Int, _ time: (_ number: Int) -> Int64) {
    while count &+ added >= capacity { grow() }
    base[count &+ added] = .max
    var left = count &- 1
    var place = count &+ added &- 1
    var number = added &- 1
    while number >= 0 {
      let time = time(number)
      while left >= 0, base[left] > time {
        base[place] = base[left]
        place &-= 1
        left &-= 1
      }
      base[place] = time
      place &-= 1
      number &-= 1
    }
    count &+= added
  }

  /// Removes all from an instant on.
  mutating func remove(from end: Int64) {
    count = firstIndex(after: end &- 1)
    base[count] = .max
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Int64>.allocate(capacity: 2 * capacity)
    larger.initialize(from: base, count: count &+ 1)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
