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
  /// Index into the compiled entries.
  var compiled: Int32
  /// Index into the ids of occurrences, or -1 for the entry's own.
  var occurrence: Int32 = -1
  /// Where its steps begin in the list of all, and how many there are.
  var firstStep: Int32 = 0
  var stepCount: Int32 = 0
  /// How many a digest stands for; 0 when it is none.
  var digestCount: Int32 = 0
  var form: Form
  var reach: Reach
  /// It was asked for by the device's wall clock, and stays so when it is moved.
  var isWallTime = false
  /// Withheld or expired where it was to be placed.
  var isGone = false
  var trigger = HeldTrigger.original
}

/// A move before it is written down.
struct Step {
  enum Rule: UInt8 { case quietHours, frequencyCaps, overdue }
  var rule: Rule
  /// Milliseconds since 1970.
  var from: Int64
  var to: Int64

  @inline(__always)
  var move: Move {
    let by =
      switch rule {
      case .quietHours: "quietHours"
      case .frequencyCaps: "frequencyCaps"
      case .overdue: "overdue"
      }
    return Move(by: by, from: Instant(milliseconds: from), to: Instant(milliseconds: to))
  }
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
