import CarillonModel

/// The quiet windows of a policy on one device's clock.
///
/// Each local date whose weekday a window names gives one span: from the earliest reading of its start to the
/// latest reading of its end, a reading in a gap being the jump itself. So a window inside a gap is empty that
/// day, and a clock set back never splits a night.
struct QuietWindows {
  private let windows: [Window]
  private let zone: ZoneTable

  private struct Window {
    var from: Int
    /// Seconds after the first midnight; beyond a day for a window that wraps.
    var to: Int
    /// Bit 1 is Sunday.
    var days: Int
  }

  init(_ quietHours: QuietHours, zone: ZoneTable) {
    self.zone = zone
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
  func end(of time: Int64) -> Int64? {
    let start = Int(Instant(milliseconds: time).seconds)
    var seconds = start
    while let end = endOfWindow(holding: seconds) {
      seconds = end
      if seconds - start > 15 * Civil.secondsPerDay { return nil }
    }
    return seconds == start ? time : Int64(seconds) * 1000
  }

  @inline(__always)
  private func endOfWindow(holding seconds: Int) -> Int? {
    let storage = zone.storage
    let folded = seconds + zone.fold(seconds)
    let segment = storage.segment(at: folded)
    let wall = seconds + storage.offsets[segment]
    let day = Civil.floorDivide(wall, Civil.secondsPerDay)
    let margin = 2 * Civil.secondsPerDay
    if storage.starts[segment] + margin <= folded, folded < storage.starts[segment + 1] - margin {
      // No change of the clock is near: what it shows is enough.
      let time = wall - day * Civil.secondsPerDay
      for window in windows {
        if time >= window.from, time < window.to, holds(window, day) { return seconds + window.to - time }
        if time + Civil.secondsPerDay < window.to, holds(window, day - 1) {
          return seconds + window.to - time - Civil.secondsPerDay
        }
      }
      return nil
    }
    return endNearTransition(seconds, day)
  }

  private func holds(_ window: Window, _ day: Int) -> Bool { window.days >> Civil.weekday(day) & 1 != 0 }

  @inline(never)
  private func endNearTransition(_ seconds: Int, _ day: Int) -> Int? {
    for window in windows {
      for date in (day - 2)...(day + 1) where holds(window, date) {
        let from = zone.rawReading(date * Civil.secondsPerDay + window.from)
        let to = zone.rawReading(date * Civil.secondsPerDay + window.to)
        let begin = from.kind == .skipped ? from.other : from.fire
        if begin <= seconds, seconds < to.other { return to.other }
      }
    }
    return nil
  }
}
