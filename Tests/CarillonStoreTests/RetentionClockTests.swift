import CarillonModel
import CarillonStore
import TestSupport
import Testing

/// The clock that decides what is old, beside a server's that may be wrong.
@Suite struct RetentionClockTests {
  private static let hour: Int64 = 3_600
  private static let day: Int64 = 86_400
  private static let year: Int64 = 365 * day
  private let start = Sample.start
  private let fresh = RetentionClock(at: Sample.start, movedAt: Sample.start)

  /// Seconds between two looks, and where the clock stands after each, in seconds from its start.
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var looks: [(at: Int64, clock: Int64)]
  }

  private static func steps(
    _ range: ClosedRange<Int64>, _ look: (Int64) -> (at: Int64, clock: Int64)
  ) -> [(at: Int64, clock: Int64)] {
    range.map(look)
  }

  static let rows: [Row] = [
    Row(testDescription: "one that runs is followed", looks: steps(1...60) { ($0 * hour, $0 * hour) }),
    Row(testDescription: "once a day is often enough", looks: steps(1...60) { ($0 * day, $0 * day) }),
    Row(testDescription: "within the hour nothing is done", looks: [(60, 0), (3_599, 0), (3_600, 3_600)]),
    Row(
      testDescription: "one that is ten years ahead moves a day an hour, from the second hour on",
      looks: steps(0...50) { (10 * year + $0 * hour, $0 * day) }),
    Row(
      testDescription: "one that was ahead for five hours",
      looks: steps(0...5) { (10 * year + $0 * hour, $0 * day) } + [
        // Right again, and behind the clock by now.
        (6 * hour, 5 * day), (7 * hour, 4 * day), (8 * hour, 3 * day), (9 * hour, 2 * day), (10 * hour, day),
        (11 * hour, 11 * hour), (12 * hour, 12 * hour),
      ]),
    Row(
      testDescription: "one that goes back takes nothing at once",
      looks: steps(0...3) { (-10 * year + $0 * hour, -$0 * day) }),
    Row(
      testDescription: "a server that stood still for a week catches up within the day",
      looks: [
        (7 * day, 0), (7 * day + hour, day), (7 * day + 2 * hour, 2 * day),
        (7 * day + 9 * hour, 7 * day + 9 * hour),
      ]),
    Row(
      testDescription: "starts again and again with a clock that is ahead",
      looks: steps(0...10) { (10 * year + $0 * 300, 0) }),
    Row(
      testDescription: "of two servers one is ahead: it stands still",
      looks: steps(2...40) { ($0 % 2 * 10 * year + $0 / 2 * hour, hour) }),
  ]

  @Test(arguments: rows) func followsTime(_ row: Row) {
    var clock = fresh
    for (at, expected) in row.looks {
      let now = Sample.later(at)
      clock = clock.moved(now: now) ?? clock
      #expect(clock.at == Sample.later(expected), "at \(at)")
      #expect(clock.time(at: now) == min(now, clock.at))
    }
  }

  /// Whatever the server's clock says at any look, the clock moves no more than a day an hour of what can have passed.
  @Test func neverMovesFarAtOnce() {
    var random = SeededGenerator(seed: 20_261_130)
    var clock = fresh
    for _ in 0..<10_000 {
      let now =
        Bool.random(using: &random)
        ? Sample.later(.random(in: -20 * Self.year...20 * Self.year, using: &random))
        : clock.movedAt.adding(seconds: .random(in: -2 * Self.day...2 * Self.day, using: &random))
      let next = clock.moved(now: now) ?? clock
      let moved = abs(next.at.milliseconds - clock.at.milliseconds)
      let passed = now.milliseconds - clock.movedAt.milliseconds
      #expect(moved == 0 || passed <= RetentionClock.mostMillisecondsCounted && moved <= passed * 24)
      clock = next
    }
  }

  /// Both roles of a server may move it, and of two who do one does.
  @Test func standsInTheDatabase() async throws {
    try await withStore { world in
      func clock(_ seconds: Int64) async throws -> RetentionClock? {
        try await world.store.terms(tenant: world.tenant, now: Sample.later(seconds))?.retention
      }
      let first = try #require(try await clock(0))
      #expect(try await clock(60) == first)
      let moved = try await clock(Self.hour)
      #expect(moved == RetentionClock(at: Sample.later(Self.hour), movedAt: Sample.later(Self.hour)))
      let snapshot = try await world.store.loadDevice(tenant: world.tenant, device: Sample.device(1))
      #expect(snapshot.retentionAt == Sample.later(Self.hour))
      #expect(try await clock(10 * Self.year)?.at == Sample.later(Self.hour))
      #expect(try await clock(10 * Self.year + Self.hour)?.at == Sample.later(Self.hour + Self.day))
    }
  }
}
