import CLinux
import CarillonEventLoop
import Glibc

/// SIGHUP as a sequence: each asks to read files anew. Those that come while one is at work count as one. One in a
/// process.
final class HangUpSignals: Sendable {
  let arrivals: AsyncStream<Void>
  private let arrived: AsyncStream<Void>.Continuation
  private let descriptor: Int32

  init() {
    descriptor = clinux_hangup_signal()
    precondition(descriptor >= 0, "eventfd failed: errno \(-descriptor)")
    (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { close(descriptor) }

  /// Starts listening; on the loop, which must end before this does.
  func watch(on loop: EventLoop) {
    loop.watch(descriptor, for: .read, Reader(descriptor: descriptor, arrived: arrived))
  }

  private final class Reader: EventSource {
    private let descriptor: Int32
    private let arrived: AsyncStream<Void>.Continuation

    init(descriptor: Int32, arrived: AsyncStream<Void>.Continuation) {
      self.descriptor = descriptor
      self.arrived = arrived
    }

    func ready(for interest: Interest) {
      var count: UInt64 = 0
      guard read(descriptor, &count, 8) == 8 else { return }
      arrived.yield()
    }
  }
}
