import CarillonModel

/// The offsets of one IANA zone from 1970 on. A value; copies share their storage.
///
/// No offset is further from Greenwich than 26 hours, no change moves the clock by more than a day, and three days at
/// least lie between two changes, so that a wall time never has to do with more than one. Every change since 1970
/// keeps to that, and data that does not is refused.
///
/// The transitions are spread out up to the year 2500 and folded by 400 years beyond it, so that a look-up is
/// one index into buckets of 2^22 seconds and at most a few comparisons.
public struct ZoneTable: Sendable {
  /// 26 hours: RFC 8536's bound.
  static let farthestOffset = 93_600
  /// A day, as where a place changed sides of the date line.
  static let largestJump = 86_400
  static let closestChanges = 3 * 86_400

  let storage: Storage

  /// The name it was asked for by, e.g. `Europe/Madrid`; links keep the name they were asked by.
  public var name: String { storage.name }

  /// Coordinated universal time, for when no zone matters.
  public static let utc = ZoneTable(name: "UTC", initialOffset: 0, transitions: [])

  /// - Parameters:
  ///   - transitions: strictly ascending instants in seconds since 1970, each with the offset in seconds east
  ///     of Greenwich from then on; within the bounds above.
  init(name: String, initialOffset: Int, transitions: [(at: Int, offset: Int)]) {
    storage = Storage(name: name, initialOffset: initialOffset, transitions: transitions)
  }

  /// Immutable after its initialisation, and shared by all copies.
  final class Storage: Sendable {
    static let bucketShift = 22
    /// 2500-01-01T00:00:00Z.
    static let end = 16_725_225_600

    let name: String
    /// Segment `i` runs from `starts[i]` to `starts[i + 1]` and has `offsets[i]`. The first starts at
    /// `Int.min / 2`, and a last, empty one at `Int.max / 2`.
    let starts: [Int]
    let offsets: [Int]
    /// For each bucket the segment in which it starts.
    let buckets: [UInt16]

    init(name: String, initialOffset: Int, transitions: [(at: Int, offset: Int)]) {
      var starts = [Int.min / 2]
      var offsets = [initialOffset]
      for transition in transitions {
        starts.append(transition.at)
        offsets.append(transition.offset)
      }
      starts.append(Int.max / 2)
      var buckets: [UInt16] = []
      var segment = 0
      for bucket in 0...(Self.end >> Self.bucketShift) {
        while starts[segment + 1] <= bucket << Self.bucketShift { segment += 1 }
        buckets.append(UInt16(segment))
      }
      self.name = name
      self.starts = starts
      self.offsets = offsets
      self.buckets = buckets
    }

    /// The segment that holds an instant; `seconds` must be below ``end``.
    @inline(__always)
    func segment(at seconds: Int) -> Int {
      guard seconds >= 0 else { return slowSegment(at: seconds) }
      var segment = Int(buckets[seconds >> Self.bucketShift])
      while starts[segment + 1] <= seconds { segment += 1 }
      return segment
    }

    @inline(never)
    private func slowSegment(at seconds: Int) -> Int {
      var segment = 0
      while starts[segment + 1] <= seconds { segment += 1 }
      return segment
    }
  }

  /// How much to add to a time to bring it below the table's end: 0, or whole cycles of 400 years.
  @inline(__always)
  func fold(_ seconds: Int) -> Int {
    // A day is left free, so that a wall time and its instant fold alike.
    let end = Storage.end - 2 * Civil.secondsPerDay
    guard seconds >= end else { return 0 }
    return -((seconds - end) / Civil.secondsPerCycle + 1) * Civil.secondsPerCycle
  }

  /// Seconds east of Greenwich at an instant given in seconds since 1970.
  @inline(__always)
  func offset(at seconds: Int) -> Int {
    storage.offsets[storage.segment(at: seconds + fold(seconds))]
  }

  /// Seconds east of Greenwich at an instant.
  public func offset(at instant: Instant) -> Int { offset(at: Int(instant.seconds)) }

  /// What the wall clock shows at an instant, parts of a second dropped.
  public func local(at instant: Instant) -> LocalDateTime {
    let seconds = Int(instant.seconds)
    return LocalDateTime(wallSeconds: Int64(seconds + offset(at: seconds)))
  }
}

/// Where the planner finds the zones that triggers name.
public protocol ZoneLookup: Sendable {
  /// The release of the zone data, e.g. `2025b`.
  var version: String { get }
  /// Nil when there is no such zone.
  func zone(named name: String) -> ZoneTable?
}
