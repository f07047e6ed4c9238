import CarillonEventLoop
import Synchronization

/// Lets a handler say that it is at work, wait until the test lets it go, and say that it was cancelled.
final class Gate: Sendable {
  let entered = CompletionSignal()
  let opened = CompletionSignal()
  let cancelled = CompletionSignal()
  private let visitors = Atomic<Int>(0)

  var count: Int { visitors.load(ordering: .relaxed) }

  func pass() async {
    visitors.wrappingAdd(1, ordering: .relaxed)
    entered.complete()
    await withTaskCancellationHandler {
      await opened.wait()
    } onCancel: {
      cancelled.complete()
    }
  }
}
