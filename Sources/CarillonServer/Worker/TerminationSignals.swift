import CLinux
import CarillonEventLoop
import Glibc

/// SIGTERM and SIGINT as something to await. One in a process.
final class TerminationSignals: Sendable {
  private let descriptor: Int32
  private let arrived = CompletionSignal()

  init() {
    descriptor = clinux_termination_signals()
    precondition(descriptor >= 0, "eventfd failed: errno \(-descriptor)")
  }

  deinit { close(descriptor) }

  /// Starts listening; on the loop.
  func watch(on loop: EventLoop) {
    loop.watch(descriptor, for: .read, Reader(descriptor: descriptor, arrived: arrived, loop: loop))
  }

  /// Returns after the first of the two signals.
  func wait() async { await arrived.wait() }

  private final class Reader: EventSource {
    private let descriptor: Int32
    private let arrived: CompletionSignal
    private unowned let loop: EventLoop

    init(descriptor: Int32, arrived: CompletionSignal, loop: EventLoop) {
      self.descriptor = descriptor
      self.arrived = arrived
      self.loop = loop
    }

    func ready(for interest: Interest) {
      // Unwatched at once: a second Ctrl-C has nothing to add to the drain that has begun.
      loop.unwatch(descriptor)
      arrived.complete()
    }
  }
}
