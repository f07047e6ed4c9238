import CarillonModel

/// The offset of a zone's clock where no change is near, remembered: most times of a plan lie in one such stretch.
struct SteadyClock {
  private let zone: ZoneTable
  /// Seconds since 1970.
  private var steady = 0..<0
  /// Seconds east of Greenwich.
  private var offset = 0

  init(_ zone: ZoneTable) { self.zone = zone }

  /// Nil within two days of a change: there a wall time may be skipped or shown twice.
  @inline(__always)
  mutating func offset(at seconds: Int) -> Int? {
    if steady.contains(seconds) { return offset }
    find(around: seconds)
    return steady.contains(seconds) ? offset : nil
  }

  @inline(never)
  private mutating func find(around seconds: Int) {
    let shift = zone.fold(seconds)
    let storage = zone.storage
    let segment = storage.segment(at: seconds + shift)
    let margin = 2 * Civil.secondsPerDay
    // Not beyond where the table is folded.
    let start = max(storage.starts[segment] - shift + margin, seconds - 400 * Civil.secondsPerDay)
    let end = min(storage.starts[segment + 1] - shift - margin, seconds + 400 * Civil.secondsPerDay)
    steady = start < end && zone.fold(end) == shift && zone.fold(start) == shift ? start..<end : 0..<0
    offset = storage.offsets[segment]
  }
}
