import CarillonModel

/// The hours of an hourly rule, or the minutes of a minutely one, that its interval, BYHOUR and BYMINUTE leave.
///
/// They are the same again after `cycle` days, so that which days have one, and how many, is known beforehand.
struct DaySlots: Hashable, Sendable {
  /// 24 or 1440.
  let perDay: Int
  /// Seconds.
  let length: Int
  private let interval: Int
  /// The slot of the rule's start, counted from 1970 on.
  private let start: Int
  private let hours: UInt64
  /// All where slots are hours.
  private let minutes: UInt64
  /// Days that have a slot; nil when each has.
  let days: CyclicBits?
  /// How many slots a day has, by the day's number modulo the count of this.
  private let counts: [UInt16]

  init(_ rule: RecurrenceRule, start wall: Int) {
    let isMinutely = rule.frequency == .minutely
    perDay = isMinutely ? 1440 : 24
    length = isMinutely ? 60 : 3600
    interval = rule.interval
    start = Civil.floorDivide(wall, length)
    hours = rule.hours == 0 ? .max : rule.hours
    minutes = isMinutely && rule.minutes != 0 ? rule.minutes : .max
    let divisor = Self.greatestDivisor(perDay, interval)
    let cycle = interval / divisor
    var counts = [UInt16](repeating: 0, count: cycle)
    if hours == .max, minutes == .max {
      for day in 0..<cycle {
        let first = Civil.floorModulo(start - day * perDay, interval)
        if first < perDay { counts[day] = UInt16((perDay - 1 - first) / interval + 1) }
      }
    } else {
      // Day d has slot x when d * perDay + x - start is a multiple of the interval.
      let inverse = Self.inverse(of: perDay / divisor, modulo: cycle)
      for slot in 0..<perDay where (start - slot) % divisor == 0 {
        let (hour, minute) = isMinutely ? (slot / 60, slot % 60) : (slot, 0)
        guard hours >> UInt64(hour) & 1 != 0, minutes >> UInt64(minute) & 1 != 0 else { continue }
        counts[Civil.floorModulo((start - slot) / divisor % cycle * inverse, cycle)] += 1
      }
    }
    self.counts = counts
    days =
      counts.contains(0)
      ? CyclicBits(length: cycle, counts.indices.lazy.filter { counts[$0] != 0 }) : nil
  }

  /// How many slots a day has.
  func count(on day: Int) -> Int { Int(counts[Civil.floorModulo(day, counts.count)]) }

  /// The first slot of a day that is not before `slot`.
  ///
  /// - Parameter steps: grows by the slots looked at.
  func first(from slot: Int, on day: Int, steps: inout Int) -> Int? {
    let first = Civil.floorModulo(start - day * perDay, interval)
    func aligned(_ slot: Int) -> Int {
      slot <= first ? first : first + (slot - first + interval - 1) / interval * interval
    }
    var slot = aligned(slot)
    while slot < perDay {
      steps &+= 1
      let hour = perDay == 24 ? slot : slot / 60
      guard hours >> UInt64(hour) & 1 != 0 else {
        let later = hours & (.max << UInt64(hour))
        guard later != 0 else { return nil }
        slot = aligned(later.trailingZeroBitCount * (perDay / 24))
        continue
      }
      if perDay == 24 { return slot }
      let minute = slot % 60
      if minutes >> UInt64(minute) & 1 != 0 { return slot }
      let later = minutes & (.max << UInt64(minute))
      slot = aligned(hour * 60 + min(later == 0 ? 60 : later.trailingZeroBitCount, 60))
    }
    return nil
  }

  private static func greatestDivisor(_ one: Int, _ other: Int) -> Int {
    var (one, other) = (one, other)
    while other != 0 { (one, other) = (other, one % other) }
    return one
  }

  /// By Euclid's way; the two have no common divisor.
  private static func inverse(of number: Int, modulo modulus: Int) -> Int {
    var (old, present) = (number, modulus)
    var (result, next) = (1, 0)
    while present != 0 {
      let quotient = old / present
      (old, present) = (present, old - quotient * present)
      (result, next) = (next, result - quotient * next)
    }
    return Civil.floorModulo(result, modulus)
  }
}
