import CarillonModel
import CarillonPlanner

enum ZoneTarget {
  /// Around which time is read: now and then, the far future, the far past.
  private static let samples: [Int64] = [
    0, 1_774_746_000, 1_774_749_600, 1_792_890_000, 4_102_444_800, 7_258_118_399, 16_725_225_600,
    16_725_225_599, -1, 946_684_800,
  ]

  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let zone = try? ZoneTable(name: "Fuzz/Zone", tzif: bytes) else { return }
    for sample in samples {
      for step in [-86_400, -3_600, 0, 1, 3_600, 86_400] as [Int64] {
        try check(Instant(seconds: sample + step), in: zone)
      }
    }
  }

  private static func check(_ instant: Instant, in zone: ZoneTable) throws(Finding) {
    let wall = zone.local(at: instant)
    switch zone.reading(of: wall) {
    case .unique(let found):
      try expect(found == instant, "\(wall) is \(found), though it was read at \(instant)")
    case .twice(let first, let last):
      try expect(first < last && first <= instant && instant <= last, "\(wall) is read out of order")
    case .skipped: throw Finding("\(wall) is skipped, though it was read at \(instant)")
    }
    // A wall time nobody read may be one of a gap; it rings after it.
    if case .skipped(let transition, let resolved) = zone.reading(
      of: LocalDateTime(wallSeconds: wall.wallSeconds + 1800))
    {
      try expect(resolved >= transition, "a skipped wall time rings before the gap")
    }
  }
}
