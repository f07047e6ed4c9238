import CarillonModel

/// The fires of what repeats that count against one cap, given day by day as far as somebody asks.
struct RepeaterStream: Sendable {
  /// Most fires that are counted, the first of all that come after now.
  static let mostFires = 50_000
  /// Days looked ahead of what was asked for, so that this is rarely needed.
  static let daysAhead = 7

  /// Those at a time of day, in its order.
  private let daily: [Repeaters.Daily]
  private var grids: [Repeaters.Grid]
  private var others: [Repeater]
  /// The first local day that is not given yet; nil before the first question.
  private var nextDay: Int?
  /// Up to when all have been given, in milliseconds since 1970.
  private(set) var given: Int64
  /// Fires from here on are not counted, in milliseconds since 1970: there are more than may be.
  private(set) var end = Int64.max

  /// - Parameter counts: by type index; empty when all count.
  init(_ repeaters: Repeaters, counts: [Bool]) {
    func concerns(_ type: Int32) -> Bool { counts.isEmpty || counts[Int(type)] }
    daily = repeaters.daily.filter { concerns($0.type) }.sorted { $0.time < $1.time }
    grids = repeaters.grids.filter { concerns($0.type) }
    others = repeaters.others.filter { concerns($0.type) }
    given = daily.isEmpty && grids.isEmpty && others.isEmpty ? .max : .min
  }

  /// Gives every fire up to `limit` (and some beyond) that was not given before.
  ///
  /// - Parameters: milliseconds since 1970.
  mutating func give(upTo limit: Int64, after now: Int64, zone: ZoneTable, to times: inout SortedTimes) {
    let wanted = zone.day(at: limit) + 1
    let start = nextDay ?? zone.day(at: now) - 1
    guard wanted >= start else { return }
    let nextStart = wanted + Self.daysAhead
    nextDay = nextStart
    // A gap may carry a fire into the next day, so the last day is not complete.
    given = Int64(zone.firstInstant(ofDay: nextStart - 1)) * 1000
    let whole = Int64(zone.firstInstant(ofDay: nextStart)) * 1000
    var last = whole
    giveDaily(start..<nextStart, after: now, zone, to: &times)
    Self.cut(&times, after: now, &last)
    for index in grids.indices {
      giveGrid(index, before: last, to: &times)
      Self.cut(&times, after: now, &last)
    }
    var fires: [Int64] = []
    for index in others.indices where others[index].isDue(before: last) {
      while fires.count <= Self.mostFires, let fire = others[index].pop(before: last) { fires.append(fire) }
      times.merge(fires)
      fires.removeAll(keepingCapacity: true)
      Self.cut(&times, after: now, &last)
    }
    if last < whole { (end, given) = (last, .max) }
  }

  /// Lets go of what is beyond the most fires, and gives where that begins. Whoever is asked first, the same are left.
  private static func cut(_ times: inout SortedTimes, after now: Int64, _ last: inout Int64) {
    guard times.count > mostFires else { return }
    let first = times.firstIndex(after: now)
    guard times.count - first > mostFires else { return }
    last = times[first + mostFires]
    times.remove(from: last)
  }

  private func giveDaily(
    _ days: Range<Int>, after now: Int64, _ zone: ZoneTable, to times: inout SortedTimes
  ) {
    if daily.isEmpty { return }
    let passed = times.firstIndex(after: now)
    let start = days.lowerBound * Civil.secondsPerDay
    let end = days.upperBound * Civil.secondsPerDay
    let isSteady = zone.isSteady(from: start - Civil.secondsPerDay, to: end + Civil.secondsPerDay)
    let offset = Int64(zone.offset(at: start)) * 1000
    var weekday = UInt8(Civil.weekday(days.lowerBound))
    daily.withUnsafeBufferPointer { daily in
      var isEnough = false
      for day in days {
        // One day more, since a gap may carry a fire into it.
        if isEnough { break }
        isEnough = times.count - passed > Self.mostFires
        let midnight = Int64(day * Civil.secondsPerDay) * 1000
        for repeater in daily where repeater.weekdays &>> weekday & 1 != 0 {
          let wall = midnight &+ repeater.time
          let fire = isSteady ? wall &- offset : Int64(zone.rawReading(Int(wall / 1000)).fire) * 1000
          if fire > now { times.insert(fire) }
        }
        weekday = weekday == 7 ? 1 : weekday &+ 1
      }
    }
  }

  /// Between those given before, as the points of an interval fall among the fires of many days.
  private mutating func giveGrid(_ index: Int, before last: Int64, to times: inout SortedTimes) {
    let end = min(last, grids[index].expiry == .max ? .max : grids[index].expiry + 1)
    guard grids[index].next < end else { return }
    let period = grids[index].period
    let count = min(Int((end - 1 - grids[index].next) / period) + 1, Self.mostFires + 1)
    times.merge(from: grids[index].next, by: period, count: count)
    grids[index].next += Int64(count) * period
  }
}
