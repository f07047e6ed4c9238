import CarillonModel

/// The quiet windows of a policy on one device's clock.
///
/// Each local date whose weekday a window names gives one span: from the earliest reading of its start to the
/// latest reading of its end, a reading in a gap being the jump itself. So a window inside a gap is empty that
/// day, and a clock set back never splits a night.
struct QuietWindows {
  private let windows: [Window]
  private let zone: ZoneTable
  private var clock: SteadyClock

  private struct Window {
    var from: Int
    /// Seconds after the first midnight; beyond a day for a window that wraps.
    var to: Int
    /// Bit 1 is Sunday.
    var days: Int

    @inline(__always)
    func holds(_ weekday: Int) -> Bool { days >> weekday & 1 != 0 }
  }

  init(_ quietHours: QuietHours, zone: ZoneTable) {
    self.zone = zone
    clock = SteadyClock(zone)
    windows = quietHours.windows.map { window in
      Window(
        from: window.from, to: window.to > window.from ? window.to : window.to + Civil.secondsPerDay,
        days: window.days.reduce(0) { $0 | 1 << $1 })
    }
  }

  /// The first instant at or after `time` that is in no window; nil when there is none within a fortnight, which
  /// takes windows that cover the week.
  ///
  /// - Parameter time: milliseconds since 1970.
  @inline(__always)
  mutating func end(of time: Int64) -> Int64? {
    let start = Int(Instant(milliseconds: time).seconds)
    guard var seconds = endOfWindow(holding: start) else { return time }
    while let end = endOfWindow(holding: seconds) {
      seconds = end
      if seconds - start > 15 * Civil.secondsPerDay { return nil }
    }
    return Int64(seconds) * 1000
  }

  private mutating func endOfWindow(holding seconds: Int) -> Int? {
    guard let offset = clock.offset(at: seconds) else { return endNearTransition(seconds) }
    // No change of the clock is near: what it shows is enough.
    let wall = seconds &+ offset
    let day = Civil.floorDivide(wall, Civil.secondsPerDay)
    let time = wall &- day &* Civil.secondsPerDay
    let weekday = Civil.weekday(day)
    return windows.withUnsafeBufferPointer { windows in
      for window in windows {
        if time >= window.from, time < window.to, window.holds(weekday) {
          return seconds &+ window.to &- time
        }
        let wrapped = time &+ Civil.secondsPerDay
        if wrapped < window.to, window.holds(weekday == 1 ? 7 : weekday &- 1) {
          return seconds &+ window.to &- wrapped
        }
      }
      return nil
    }
  }

  @inline(never)
  private func endNearTransition(_ seconds: Int) -> Int? {
    let day = Civil.floorDivide(seconds + zone.offset(at: seconds), Civil.secondsPerDay)
    for window in windows {
      for date in (day - 2)...(day + 1) where window.holds(Civil.weekday(date)) {
        let from = zone.rawReading(date * Civil.secondsPerDay + window.from)
        let to = zone.rawReading(date * Civil.secondsPerDay + window.to)
        let begin = from.kind == .skipped ? from.other : from.fire
        if begin <= seconds, seconds < to.other { return to.other }
      }
    }
    return nil
  }
}
