import CarillonModel

/// The fires of all that repeats, found once for many plans: what caps count from a time on.
///
/// Every plan of a later time within them counts the same fires, but for those that have passed meanwhile.
struct FiresAhead: Sendable {
  /// What one cap counts.
  struct Ledger {
    /// Milliseconds since 1970, ascending.
    var times: [Int64]
    /// Gives what comes behind them.
    var stream: RepeaterStream
  }

  /// Further than a month, which is as far as most plans look.
  private static let days = 40
  /// With more fires than this each plan finds its own: how many are counted at most is up to its time.
  private static let mostFires = 4_000

  /// Milliseconds since 1970: all fires after the first are known, as far as the second.
  private let start: Int64
  private let end: Int64
  /// One a cap.
  let ledgers: [Ledger]

  /// - Returns: nil where there is nothing to gain.
  init?(_ repeaters: Repeaters, _ policy: CompiledPolicy.Storage, after now: Int64, zone: ZoneTable) {
    guard !policy.policy.frequencyCaps.isEmpty else { return nil }
    start = now
    end = now + Int64(Self.days * Civil.secondsPerDay) * 1000
    var ledgers: [Ledger] = []
    for cap in policy.policy.frequencyCaps {
      var stream = RepeaterStream(repeaters, counts: policy.counts(in: cap))
      var times = SortedTimes(capacity: 1_024)
      stream.give(upTo: end, after: now, zone: zone, to: &times)
      guard times.count <= Self.mostFires else { return nil }
      ledgers.append(Ledger(times: (0..<times.count).map { times[$0] }, stream: stream))
    }
    self.ledgers = ledgers
  }

  /// Whether a plan made at a time may use it: later ones would be given fires that have passed.
  func serves(_ now: Int64) -> Bool { start <= now && now < end }
}

extension CompiledPolicy.Storage {
  /// By type index, whether a cap counts it; empty when it counts all.
  func counts(in cap: FrequencyCap) -> [Bool] {
    cap.types.map { types in names.map { types.contains($0) } } ?? []
  }
}
