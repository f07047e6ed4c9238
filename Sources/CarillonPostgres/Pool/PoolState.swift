/// What waits and which connection is free: a value without I/O, whose methods say what to do.
///
/// Times are durations since any fixed moment.
struct PoolState<Member> {
  /// How often a work is run again after the server gave up on it for the sake of another transaction.
  static var maximumRetries: Int { 5 }

  /// How many batches a work may be rolled back with before it runs alone.
  static var maximumFailedBatches: Int { 8 }

  struct Entry {
    let id: UInt64
    let member: Member
    /// When it was submitted; zero while a connection was up, because then its wait has no limit.
    let since: Duration
    /// Attempts on its own that the server gave up.
    var retries = 0
    /// Batches that were rolled back for the sake of another member.
    var failedBatches = 0
  }

  enum Slot: Equatable {
    /// Not connected, or connecting; so many attempts in a row have failed.
    case down(failures: Int)
    case idle
    case busy
  }

  enum Admission: Equatable {
    case accepted
    case overloaded
    case closed
  }

  private let limits: PostgresPool.Limits
  private(set) var slots: [Slot]
  private var waiting = FairQueue<Entry>()
  /// What was rolled back: each group is a batch of its own, and goes before all others.
  private var reruns: [[Entry]] = []
  private var forecast: WaitForecast
  private var downSince: Duration
  private(set) var isClosing = false

  init(limits: PostgresPool.Limits, now: Duration) {
    precondition(limits.connections > 0 && limits.worksPerBatch > 0 && limits.waitingWorks > 0)
    self.limits = limits
    self.slots = Array(repeating: .down(failures: 0), count: limits.connections)
    self.forecast = WaitForecast(limits: limits)
    self.downSince = now
  }

  var isUp: Bool { slots.contains { $0 == .idle || $0 == .busy } }
  var waitingCount: Int { waiting.count + reruns.reduce(0) { $0 + $1.count } }

  /// Half way to refusing what comes.
  var isBusy: Bool {
    waiting.count >= limits.waitingWorks / 2
      || isUp && forecast.isTooLong(ahead: waiting.count, limit: limits.waitForBatch / 2)
  }

  /// Nothing waits, nothing is in flight, and nothing will come.
  var isFinished: Bool { isClosing && waitingCount == 0 && !slots.contains(.busy) }

  // MARK: Works

  /// What would wait too long is refused at once: its answer would come too late to be of use, and would make all that
  /// come after it later still.
  ///
  /// - Parameter flow: whose it is: flows take turns, and none may take all the room there is to wait in.
  mutating func submit(
    _ member: Member, id: UInt64, flow: UInt64 = 0, now: @autoclosure () -> Duration
  ) -> Admission {
    if isClosing { return .closed }
    if waitingCount >= limits.waitingWorks || waiting.count(of: flow) >= limits.waitingWorksPerScope {
      return .overloaded
    }
    // As much of each flow in turn goes before it as waits of its own.
    let ahead = min(waiting.count, waiting.flowCount * (waiting.count(of: flow) + 1))
    if isUp, forecast.isTooLong(ahead: ahead, limit: limits.waitForBatch) { return .overloaded }
    waiting.append(Entry(id: id, member: member, since: isUp ? .zero : now()), to: flow)
    return .accepted
  }

  /// Takes back a work that has not been sent; nil when it has, or is done.
  mutating func cancel(_ id: UInt64) -> Entry? {
    if let entry = waiting.remove(where: { $0.id == id }).first { return entry }
    for group in reruns.indices {
      guard let index = reruns[group].firstIndex(where: { $0.id == id }) else { continue }
      let entry = reruns[group].remove(at: index)
      if reruns[group].isEmpty { reruns.remove(at: group) }
      return entry
    }
    return nil
  }

  /// The next batch to send, if there are both work and a free connection, which is busy from now on.
  mutating func takeBatch(now: @autoclosure () -> Duration = .zero) -> (slot: Int, batch: [Entry])? {
    guard waitingCount > 0, let slot = slots.firstIndex(of: .idle) else { return nil }
    slots[slot] = .busy
    forecast.didSend(slot, now: now())
    if !reruns.isEmpty { return (slot, reruns.removeFirst()) }
    return (slot, waiting.take(limits.worksPerBatch))
  }

  // MARK: Connections

  mutating func didConnect(_ slot: Int) { slots[slot] = .idle }

  mutating func didCommit(_ slot: Int, now: Duration = .zero) {
    slots[slot] = .idle
    forecast.didCommit(slot, now: now)
  }

  /// A batch was rolled back; returns the works that fail for good.
  ///
  /// One that was alone fails, unless the server asks for another attempt. Of several, the one whose statement
  /// failed runs again alone, so that its error is its own, and the others run again together: so one bad work
  /// costs the good ones one more round trip, not a commit each. Those that have seen too many failed batches
  /// run alone, too.
  ///
  /// - Parameter culprit: which of the batch failed; nil when it was the COMMIT.
  mutating func didFail(_ slot: Int, _ batch: [Entry], culprit: Int?, sqlState: String?) -> [Entry] {
    slots[slot] = .idle
    if batch.count == 1 {
      var entry = batch[0]
      guard Self.isWorthRetrying(sqlState), entry.retries < Self.maximumRetries else { return [entry] }
      entry.retries += 1
      reruns.append([entry])
      return []
    }
    var together: [Entry] = []
    var alone: [Entry] = []
    for (index, entry) in batch.enumerated() {
      var entry = entry
      entry.failedBatches += 1
      let mustBeAlone =
        culprit == nil || index == culprit || entry.failedBatches >= Self.maximumFailedBatches
      if mustBeAlone { alone.append(entry) } else { together.append(entry) }
    }
    if !together.isEmpty { reruns.append(together) }
    reruns.append(contentsOf: alone.map { [$0] })
    return []
  }

  /// The connection could not be made or has broken; returns when to try again.
  mutating func didBreak(_ slot: Int, now: Duration, random: UInt64) -> Duration {
    let wasUp = isUp
    var failures = 1
    if case .down(let before) = slots[slot] { failures = before + 1 }
    slots[slot] = .down(failures: failures)
    if wasUp && !isUp { downSince = now }
    return Backoff.delay(afterFailures: failures, random: random)
  }

  /// 40001 serialization failure, 40P01 deadlock; and a prepared statement the server no longer knows (26000)
  /// or whose result changed with the schema (0A000), which is prepared anew.
  static func isWorthRetrying(_ sqlState: String?) -> Bool {
    switch sqlState {
    case "40001", "40P01", "26000", "0A000": true
    default: false
    }
  }

  // MARK: Waiting without a connection

  /// When the first waiting work has waited long enough for a connection; nil while one is up or nothing waits.
  var nextExpiry: Duration? {
    guard waitingCount > 0, !isUp else { return nil }
    // What was sent once was submitted while a connection was up.
    let since = reruns.isEmpty ? waiting.first.map(\.since).min() : nil
    return max(since ?? .zero, downSince) + limits.waitForConnection
  }

  /// Takes out the works that have waited long enough.
  mutating func expire(now: Duration) -> [Entry] {
    guard !isUp else { return [] }
    let (downSince, wait) = (downSince, limits.waitForConnection)
    func hasExpired(_ entry: Entry) -> Bool { max(entry.since, downSince) + wait <= now }
    let sentOnce = reruns.joined().filter(hasExpired)
    reruns = reruns.map { $0.filter { !hasExpired($0) } }.filter { !$0.isEmpty }
    return sentOnce + waiting.remove(where: hasExpired)
  }

  // MARK: The end

  /// Nothing more is accepted; what waits is still done.
  mutating func close() { isClosing = true }
}
