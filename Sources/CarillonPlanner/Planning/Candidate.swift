import CarillonModel

/// One request that could be held: a queue entry, or one occurrence of it. Small and without references, so that
/// a thousand of them are cheap to move about.
struct Candidate {
  enum Form: UInt8 { case single, repeating, occurrence, location }
  /// What the device is told to add.
  enum HeldTrigger: Equatable { case original, instant, local(wall: Int) }

  /// Milliseconds since 1970; unused for a location. Until it is placed, a single one's wish, possibly passed.
  var fire: Int64
  var priority: Int32
  var type: Int32
  /// Index into the queue.
  var entry: Int32
  /// Index into the ids of occurrences, or -1 for the entry's own.
  var occurrence: Int32 = -1
  /// Where its moves begin in the list of all, and how many there are.
  var firstMove: Int32 = 0
  var moveCount: Int32 = 0
  /// How many a digest stands for; 0 when it is none.
  var digestCount: Int32 = 0
  /// Withheld or expired where it was to be placed.
  var isGone = false
  var form: Form
  var reach: Reach
  var trigger = HeldTrigger.original
}

/// A member of a digest.
struct Digested {
  var id: NotificationID
  var type: Int32
  /// Milliseconds since 1970.
  var fire: Int64
  /// Index into the ids of occurrences.
  var digest: Int32
}

/// What the queue came down to before ranking.
struct Gathered {
  var candidates: [Candidate] = []
  var occurrenceIDs: [NotificationID] = []
  /// Of all candidates; each names its own run.
  var moves: [Move] = []
  var withheld: [WithheldRequest] = []
  var expired: [ExpiredRequest] = []
  var rejected: [RejectedRequest] = []
  /// What repeats, for the caps; empty when there are none.
  var repeaters = Repeaters()
  /// What a digest stands for.
  var digested: [Digested] = []
  /// Where an expansion was cut: the device must come back before.
  var horizonCut: Int64?

  func id(of candidate: Candidate, in queue: UnsafeBufferPointer<QueueEntry>) -> NotificationID {
    candidate.occurrence < 0
      ? queue[Int(candidate.entry)].head.id : occurrenceIDs[Int(candidate.occurrence)]
  }

  func moves(of candidate: Candidate) -> [Move] {
    let first = Int(candidate.firstMove)
    return candidate.moveCount == 0 ? [] : Array(moves[first..<(first + Int(candidate.moveCount))])
  }

  mutating func cutHorizon(at time: Int64) { horizonCut = min(horizonCut ?? time, time) }
}
