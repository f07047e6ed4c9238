import Synchronization

/// The jobs of one loop: a plain list for those made on its thread, a locked inbox for all others.
final class JobQueue {
  private let inbox = Mutex<[UnownedJob]>([])
  private let inboxHasJobs = Atomic<Bool>(false)
  private let remote = Atomic<Int>(0)
  private var local: [UnownedJob] = []
  private var spare: [UnownedJob] = []
  private var finished = false

  /// Jobs that came through the inbox since the start.
  var remoteCount: Int { remote.load(ordering: .relaxed) }

  var hasWork: Bool { !local.isEmpty || inboxHasJobs.load(ordering: .acquiring) }

  /// True once the loop's own job is over; what still arrives is run, but the thread no longer waits.
  var isFinished: Bool { finished && !hasWork }

  func finish() { finished = true }

  func appendLocal(_ job: UnownedJob) { local.append(job) }

  /// Returns true when the loop must be woken.
  func appendRemote(_ job: UnownedJob) -> Bool {
    remote.wrappingAdd(1, ordering: .relaxed)
    inbox.withLock { $0.append(job) }
    return !inboxHasJobs.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Runs everything queued, also what those jobs queue. Re-entrant: the loop itself is one of the jobs.
  func runAll(on executor: UnownedSerialExecutor) -> Bool {
    var ran = false
    takeInbox()
    while !local.isEmpty {
      ran = true
      var batch = spare
      spare = []
      swap(&local, &batch)
      for job in batch { job.runSynchronously(on: executor) }
      batch.removeAll(keepingCapacity: true)
      spare = batch
      takeInbox()
    }
    return ran
  }

  private func takeInbox() {
    guard inboxHasJobs.exchange(false, ordering: .acquiringAndReleasing) else { return }
    inbox.withLock {
      local.append(contentsOf: $0)
      $0.removeAll(keepingCapacity: true)
    }
  }
}
