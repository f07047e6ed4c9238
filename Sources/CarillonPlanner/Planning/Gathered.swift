import CarillonModel

/// What the queue came down to before ranking.
struct Gathered {
  var candidates: [Candidate] = []
  var occurrenceIDs: [NotificationID] = []
  /// Of all candidates; each names its own run.
  var steps: [Step] = []
  var withheld: [WithheldRequest] = []
  var expired: [ExpiredRequest] = []
  var rejected: [RejectedRequest] = []
  /// What repeats, for the caps; empty when there are none.
  var repeaters = Repeaters()
  /// What a digest stands for.
  var digested: [Digested] = []
  /// By compiled entry, the candidate that fires once as it was compiled, or -1.
  var singles: [Int32] = []
  /// Candidates that are not where the queue was compiled to have them: what fires more than once, and what was moved.
  var unsettled: [Int32] = []
  /// All that may move fire as they were compiled, with the priority of their type.
  var areAllCompiled = true
  /// Some candidate was withheld or expired where it was to be placed.
  var hasGone = false
  /// Where an expansion was cut: the device must come back before.
  var horizonCut: Int64?

  mutating func cutHorizon(at time: Int64) { horizonCut = min(horizonCut ?? time, time) }

  /// Lends the candidates, so that ranking and writing copy none of the lists.
  func withCandidates<Result>(_ frame: Frame, _ body: (CandidateList) -> Result) -> Result {
    candidates.withUnsafeBufferPointer { candidates in
      occurrenceIDs.withUnsafeBufferPointer { occurrenceIDs in
        steps.withUnsafeBufferPointer { steps in
          body(
            CandidateList(
              candidates: candidates, occurrenceIDs: occurrenceIDs, steps: steps, queue: frame.queue))
        }
      }
    }
  }
}

/// The candidates with what they name, borrowed: good only inside ``Gathered/withCandidates(_:_:)``.
struct CandidateList {
  let candidates: UnsafeBufferPointer<Candidate>
  private let occurrenceIDs: UnsafeBufferPointer<NotificationID>
  private let steps: UnsafeBufferPointer<Step>
  private let queue: UnsafeBufferPointer<QueueEntry>

  init(
    candidates: UnsafeBufferPointer<Candidate>, occurrenceIDs: UnsafeBufferPointer<NotificationID>,
    steps: UnsafeBufferPointer<Step>, queue: UnsafeBufferPointer<QueueEntry>
  ) {
    self.candidates = candidates
    self.occurrenceIDs = occurrenceIDs
    self.steps = steps
    self.queue = queue
  }

  @inline(__always)
  var count: Int { candidates.count }

  @inline(__always)
  subscript(index: Int32) -> Candidate { candidates[Int(index)] }

  @inline(__always)
  func id(of index: Int32) -> NotificationID {
    let occurrence = Int(candidates[Int(index)].occurrence)
    return occurrence < 0
      ? queue[Int(candidates[Int(index)].entry)].head.id : occurrenceIDs[occurrence]
  }

  /// All moves of some candidates, one after another.
  func moves(of indices: [Int32]) -> [Move] {
    let count = indices.reduce(0) { $0 + Int(candidates[Int($1)].stepCount) }
    if count == 0 { return [] }
    return [Move](unsafeUninitializedCapacity: count) { moves, filled in
      for index in indices {
        let first = Int(candidates[Int(index)].firstStep)
        for step in first..<first + Int(candidates[Int(index)].stepCount) {
          moves.initializeElement(at: filled, to: steps[step].move)
          filled &+= 1
        }
      }
    }
  }

  @inline(never)
  private func precedesByID(_ left: Int32, _ right: Int32) -> Bool { id(of: left).precedes(id(of: right)) }

  /// By (fire, id).
  @inline(__always)
  func precedesByFire(_ left: Int32, _ right: Int32) -> Bool {
    let (one, other) = (candidates[Int(left)].fire, candidates[Int(right)].fire)
    return one != other ? one < other : precedesByID(left, right)
  }
}
