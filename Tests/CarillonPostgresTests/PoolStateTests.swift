import Testing

@testable import CarillonPostgres

/// The pool's decisions, without a database.
@Suite struct PoolStateTests {
  private func state(
    connections: Int = 1, batch: Int = 3, waiting: Int = 10, up: Bool = true
  ) -> PoolState<Int> {
    var limits = PostgresPool.Limits()
    limits.connections = connections
    limits.worksPerBatch = batch
    limits.waitingWorks = waiting
    var state = PoolState<Int>(limits: limits, now: .zero)
    if up { for slot in 0..<connections { state.didConnect(slot) } }
    return state
  }

  @discardableResult
  private func submit(
    _ members: some Sequence<Int>, to state: inout PoolState<Int>, at time: Duration = .zero
  )
    -> [PoolState<Int>.Admission]
  {
    members.map { state.submit($0, id: UInt64($0), now: time) }
  }

  private func take(from state: inout PoolState<Int>) throws -> [PoolState<Int>.Entry] {
    let taken = state.takeBatch()
    return try #require(taken).batch
  }

  /// The members of the next batch; `#expect` cannot call what mutates.
  private func members(from state: inout PoolState<Int>) -> [Int]? { state.takeBatch()?.batch.map(\.member) }

  @Test func worksCollectWhileEveryConnectionIsBusy() {
    var state = state(connections: 2)
    submit(1...8, to: &state)
    let first = state.takeBatch()
    let second = state.takeBatch()
    #expect(first?.batch.map(\.member) == [1, 2, 3])
    #expect(second?.batch.map(\.member) == [4, 5, 6])
    #expect(first?.slot != second?.slot)
    #expect(state.takeBatch() == nil)
    state.didCommit(0)
    #expect(state.takeBatch()?.batch.map(\.member) == [7, 8])
    #expect(state.waitingCount == 0)
  }

  @Test func theMemberThatFailedRunsAloneAndTheOthersWithoutIt() throws {
    var state = state()
    submit(1...5, to: &state)
    let batch = try take(from: &state)
    #expect(state.didFail(0, batch, culprit: 1, sqlState: "22P05").isEmpty)
    #expect(state.waitingCount == 5)
    #expect(members(from: &state) == [1, 3])
    state.didCommit(0)
    let alone = try take(from: &state)
    #expect(alone.map(\.member) == [2])
    #expect(state.didFail(0, alone, culprit: 0, sqlState: "22P05").map(\.member) == [2])
    #expect(members(from: &state) == [4, 5])
  }

  @Test func aCommitThatFailsIsRunAgainMemberByMember() throws {
    var state = state()
    submit(1...3, to: &state)
    let batch = try take(from: &state)
    #expect(state.didFail(0, batch, culprit: nil, sqlState: "23503").isEmpty)
    for member in 1...3 {
      #expect(members(from: &state) == [member])
      state.didCommit(0)
    }
  }

  @Test func whoSeesTooManyFailedBatchesRunsAlone() throws {
    let limit = PoolState<Int>.maximumFailedBatches
    var state = state(batch: limit + 3, waiting: limit + 3)
    submit(0..<(limit + 3), to: &state)
    // The first of each batch fails, until the rest has seen enough.
    var failedBatches = 0
    var done = 0
    while let (slot, batch) = state.takeBatch() {
      if batch.count == 1 {
        state.didCommit(slot)
        done += 1
      } else {
        failedBatches += 1
        #expect(state.didFail(slot, batch, culprit: 0, sqlState: nil).isEmpty)
      }
    }
    #expect(failedBatches == limit)
    #expect(done == limit + 3)
    #expect(state.waitingCount == 0)
  }

  @Test(arguments: ["40001", "40P01"]) func whatTheServerGaveUpIsTriedAgainANamedNumberOfTimes(_ code: String)
    throws
  {
    var state = state()
    submit([1], to: &state)
    for _ in 0..<PoolState<Int>.maximumRetries {
      #expect(state.didFail(0, try take(from: &state), culprit: 0, sqlState: code).isEmpty)
    }
    #expect(state.didFail(0, try take(from: &state), culprit: 0, sqlState: code).map(\.member) == [1])
    #expect(state.takeBatch() == nil)
  }

  @Test func tooMuchWorkIsTurnedAway() {
    var state = state(waiting: 2)
    #expect(submit(1...3, to: &state) == [.accepted, .accepted, .overloaded])
    _ = state.takeBatch()
    #expect(submit([4], to: &state) == [.accepted])
  }

  /// A state whose last batches took so long, and whose only connection is busy.
  private func busyState(batchesTook time: Duration) -> PoolState<Int> {
    var state = state(waiting: 1_000)
    for round in 1...20 {
      let start = time * (2 * round)
      submit([0], to: &state, at: start)
      _ = state.takeBatch(now: start)
      state.didCommit(0, now: start + time)
    }
    submit([0], to: &state)
    _ = state.takeBatch()
    return state
  }

  @Test func whatWouldWaitTooLongIsTurnedAwayAtOnce() {
    // Three a batch and 10 ms each: a sixth has two batches before it, and 15 ms is the limit.
    var slow = busyState(batchesTook: .milliseconds(10))
    #expect(submit(1...7, to: &slow) == Array(repeating: .accepted, count: 6) + [.overloaded])
    // Nothing of another's waits: it goes with the next batch.
    #expect(slow.submit(8, id: 8, flow: 1, now: .zero) == .accepted)
    slow.didCommit(0, now: .milliseconds(10))
    _ = slow.takeBatch(now: .milliseconds(10))
    #expect(submit([9], to: &slow) == [.accepted])
    var fast = busyState(batchesTook: .milliseconds(1))
    #expect(submit(1...45, to: &fast) == Array(repeating: .accepted, count: 45))
    #expect(submit([46, 47], to: &fast) == [.accepted, .overloaded])
  }

  @Test func itIsBusyHalfWayToTurningWorkAway() {
    // Three a batch and 1 ms each: 22 works take less than 7.5 ms, 23 take more, and 46 are refused.
    var state = busyState(batchesTook: .milliseconds(1))
    submit(1...22, to: &state)
    #expect(!state.isBusy)
    #expect(submit([23], to: &state) == [.accepted])
    #expect(state.isBusy)
    var short = self.state(waiting: 4)
    submit([1], to: &short)
    #expect(!short.isBusy)
    submit([2], to: &short)
    #expect(short.isBusy)
  }

  /// One stall of the database does not turn anybody away who would be served by the next batches.
  @Test func aStallAloneTurnsNobodyAway() {
    var state = busyState(batchesTook: .seconds(10))
    #expect(submit(1...6, to: &state) == Array(repeating: .accepted, count: 6))
    #expect(submit([7], to: &state) == [.overloaded])
  }

  @Test func aWorkIsTakenBackOnlyBeforeItIsSent() {
    var state = state(batch: 1)
    submit(1...3, to: &state)
    _ = state.takeBatch()
    #expect(state.cancel(1)?.member == nil)
    #expect(state.cancel(2)?.member == 2)
    #expect(state.cancel(2)?.member == nil)
    state.didCommit(0)
    #expect(state.takeBatch()?.batch.map(\.member) == [3])
  }

  @Test func worksWaitOnlySoLongWithoutAnyConnection() {
    var state = state(up: false)
    submit([1], to: &state, at: .seconds(1))
    submit([2], to: &state, at: .seconds(2))
    #expect(state.nextExpiry == .seconds(3))
    #expect(state.expire(now: .seconds(3)).map(\.member) == [1])
    #expect(state.nextExpiry == .seconds(4))
    state.didConnect(0)
    #expect(state.nextExpiry == nil)
    #expect(state.expire(now: .seconds(9)).isEmpty)
    #expect(state.takeBatch()?.batch.map(\.member) == [2])
  }

  @Test func theWaitBeginsWhenTheLastConnectionBreaks() {
    var state = state(connections: 2)
    _ = state.didBreak(0, now: .seconds(50), random: 0)
    submit([1], to: &state)
    #expect(state.nextExpiry == nil)
    _ = state.didBreak(1, now: .seconds(60), random: 0)
    #expect(state.nextExpiry == .seconds(62))
    // An attempt that fails while all are down does not begin it anew.
    _ = state.didBreak(0, now: .seconds(61), random: 0)
    #expect(state.nextExpiry == .seconds(62))
  }

  @Test func attemptsToConnectGrowRarerUpToACap() {
    var state = state(up: false)
    var last = Duration.zero
    for _ in 0..<12 {
      let delay = state.didBreak(0, now: .zero, random: 0)
      #expect(delay >= last)
      last = delay
    }
    #expect(last == Backoff.cap / 2)
    #expect(Backoff.delay(afterFailures: 99, random: .max) <= Backoff.cap)
    #expect(Backoff.delay(afterFailures: 1, random: .max) <= Backoff.first)
    state.didConnect(0)
    #expect(state.didBreak(0, now: .zero, random: 0) == Backoff.first / 2)
  }

  @Test func closingAcceptsNothingAndEndsWhenAllIsDone() throws {
    var state = state()
    submit([1, 2], to: &state)
    let batch = try take(from: &state)
    submit([3], to: &state)
    state.close()
    #expect(submit([4], to: &state) == [.closed])
    #expect(!state.isFinished)
    _ = state.didFail(0, batch, culprit: nil, sqlState: nil)
    for _ in 0..<3 {
      #expect(!state.isFinished)
      _ = state.takeBatch()
      state.didCommit(0)
    }
    #expect(state.isFinished)
  }
}
