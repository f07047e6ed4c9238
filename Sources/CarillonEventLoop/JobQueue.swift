import Synchronization

/// The jobs of one loop: a plain queue for those made on its thread, a locked inbox for all others.
final class JobQueue {
  private let inbox = Mutex<[UnownedJob]>([])
  private let inboxHasJobs = Atomic<Bool>(false)
  private let remote = Atomic<Int>(0)
  private var local: [UnownedJob] = []
  /// The first job of `local` that has not been started.
  private var next = 0

  /// Jobs that came through the inbox since the start.
  var remoteCount: Int { remote.load(ordering: .relaxed) }

  var hasWork: Bool { next < local.count || inboxHasJobs.load(ordering: .acquiring) }

  func appendLocal(_ job: UnownedJob) { local.append(job) }

  /// Returns true when the loop must be woken.
  func appendRemote(_ job: UnownedJob) -> Bool {
    remote.wrappingAdd(1, ordering: .relaxed)
    inbox.withLock { $0.append(job) }
    return !inboxHasJobs.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Runs the jobs that are queued now; what they queue waits for the next call, so that jobs which queue
  /// each other cannot keep the loop from its descriptors.
  ///
  /// Re-entrant, because the loop itself is one of the jobs: a call inside a job goes on where the outer one
  /// stands, and the outer one finds those jobs done.
  func runQueued(on loop: EventLoop) {
    takeInbox()
    let serial = loop.asUnownedSerialExecutor()
    let task = loop.asUnownedTaskExecutor()
    var budget = local.count - next
    while budget > 0, next < local.count {
      let job = local[next]
      next += 1
      budget -= 1
      job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    }
    dropStarted()
  }

  private func dropStarted() {
    if next == local.count {
      local.removeAll(keepingCapacity: true)
    } else {
      local.removeFirst(next)
    }
    next = 0
  }

  private func takeInbox() {
    guard inboxHasJobs.exchange(false, ordering: .acquiringAndReleasing) else { return }
    inbox.withLock {
      local.append(contentsOf: $0)
      $0.removeAll(keepingCapacity: true)
    }
  }
}
