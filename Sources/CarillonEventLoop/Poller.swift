import CLinux
import Glibc

/// What a descriptor can be ready for.
public struct Interest: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let read = Interest(rawValue: EPOLLIN.rawValue)
  public static let write = Interest(rawValue: EPOLLOUT.rawValue)
  /// Always reported, asked for or not.
  public static let hangUp = Interest(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}

/// Something that waits on a descriptor of an ``EventLoop``. Called on the loop.
public protocol EventSource: AnyObject {
  func ready(for interest: Interest)
}

/// The owner of one epoll descriptor and of the eventfd that ends its wait.
final class Poller {
  /// How many ready descriptors one wait can report; more wait for the next turn.
  static let maximumEventsPerWait = 256

  private let epoll: Int32
  private let wakeUp: Int32
  private var sources: [Int32: any EventSource] = [:]
  private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: maximumEventsPerWait)

  init() throws(EventLoopError) {
    epoll = clinux_epoll_create()
    guard epoll >= 0 else { throw EventLoopError(operation: "epoll_create1", errno: errno) }
    wakeUp = clinux_eventfd()
    guard wakeUp >= 0 else {
      let failure = errno
      close(epoll)
      throw EventLoopError(operation: "eventfd", errno: failure)
    }
    _ = clinux_epoll_control(epoll, EPOLL_CTL_ADD, wakeUp, Interest.read.rawValue, UInt64(wakeUp))
  }

  deinit {
    close(wakeUp)
    close(epoll)
    events.deallocate()
  }

  func add(_ descriptor: Int32, interest: Interest, source: any EventSource) {
    sources[descriptor] = source
    let result = clinux_epoll_control(
      epoll, EPOLL_CTL_ADD, descriptor, interest.rawValue, UInt64(descriptor))
    precondition(result == 0, "epoll refused descriptor \(descriptor): errno \(errno)")
  }

  func modify(_ descriptor: Int32, interest: Interest) {
    _ = clinux_epoll_control(epoll, EPOLL_CTL_MOD, descriptor, interest.rawValue, UInt64(descriptor))
  }

  func remove(_ descriptor: Int32) {
    guard sources.removeValue(forKey: descriptor) != nil else { return }
    _ = clinux_epoll_control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0)
  }

  /// Ends the wait under way, or the next one. From any thread.
  func wake() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  /// Waits at most `limit` (nil: without end) and calls the sources that are ready.
  func poll(for limit: Duration?) {
    let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), limit.milliseconds)
    guard count > 0 else { return }
    for index in 0..<Int(count) {
      let descriptor = Int32(truncatingIfNeeded: clinux_epoll_token(events.baseAddress! + index))
      if descriptor == wakeUp {
        consumeWake()
      } else {
        // An earlier source of this round may have unwatched this one.
        sources[descriptor]?.ready(for: Interest(rawValue: events[index].events))
      }
    }
  }

  /// Waits for ``wake()`` alone.
  func waitForWake() {
    var descriptor = pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)
    _ = Glibc.poll(&descriptor, 1, -1)
    consumeWake()
  }

  private func consumeWake() {
    var count: UInt64 = 0
    _ = read(wakeUp, &count, 8)
  }
}

extension Duration? {
  /// For epoll: rounded up, so that a timer is never early by a busy turn; nil is -1, without end.
  fileprivate var milliseconds: Int32 {
    guard let self else { return -1 }
    let (seconds, attoseconds) = self.components
    if seconds < 0 { return 0 }
    let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: milliseconds)
  }
}
