import CLinux
import Glibc

/// What a descriptor can be ready for.
public struct Interest: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let read = Interest(rawValue: EPOLLIN.rawValue)
  public static let write = Interest(rawValue: EPOLLOUT.rawValue)
  /// The peer has closed its sending side.
  public static let peerClosed = Interest(rawValue: EPOLLRDHUP.rawValue)
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

  /// One watched descriptor. The number tells it from an earlier watch of the same descriptor: an event that
  /// was fetched before the descriptor was closed, reused and watched again must not reach the new source.
  private struct Watch {
    let number: UInt32
    let source: any EventSource
  }

  private let epoll: Int32
  private let wakeUp: Int32
  /// By descriptor.
  private var watches: [Watch?] = []
  private var lastNumber: UInt32 = 0
  private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: maximumEventsPerWait)

  init() throws(EventLoopError) {
    epoll = clinux_epoll_create()
    guard epoll >= 0 else {
      events.deallocate()
      throw EventLoopError(operation: "epoll_create1", errno: errno)
    }
    wakeUp = clinux_eventfd()
    guard wakeUp >= 0 else {
      let failure = errno
      close(epoll)
      events.deallocate()
      throw EventLoopError(operation: "eventfd", errno: failure)
    }
    control(EPOLL_CTL_ADD, wakeUp, .read, number: 0)
  }

  deinit {
    close(wakeUp)
    close(epoll)
    events.deallocate()
  }

  func add(_ descriptor: Int32, interest: Interest, source: any EventSource) {
    let index = Int(descriptor)
    if index >= watches.count {
      watches.append(contentsOf: repeatElement(nil, count: index + 1 - watches.count))
    }
    precondition(watches[index] == nil, "descriptor \(descriptor) is already watched")
    lastNumber &+= 1
    watches[index] = Watch(number: lastNumber, source: source)
    control(EPOLL_CTL_ADD, descriptor, interest, number: lastNumber)
  }

  func modify(_ descriptor: Int32, interest: Interest) {
    guard let watch = watch(descriptor) else {
      preconditionFailure("descriptor \(descriptor) is not watched")
    }
    control(EPOLL_CTL_MOD, descriptor, interest, number: watch.number)
  }

  func remove(_ descriptor: Int32) {
    guard watch(descriptor) != nil else { return }
    watches[Int(descriptor)] = nil
    control(EPOLL_CTL_DEL, descriptor, [], number: 0)
  }

  func removeAll() {
    for descriptor in watches.indices where watches[descriptor] != nil { remove(Int32(descriptor)) }
  }

  /// Ends the wait under way, or the next one. From any thread.
  func wake() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  /// Waits at most `limit` (nil: without end) and calls the sources that are ready.
  func poll(for limit: Duration?) {
    let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), limit.milliseconds)
    precondition(count >= 0 || errno == EINTR, "epoll_wait failed: errno \(errno)")
    guard count > 0 else { return }
    for index in 0..<Int(count) {
      let token = clinux_epoll_token(events.baseAddress! + index)
      let descriptor = Int32(truncatingIfNeeded: token)
      if descriptor == wakeUp {
        consumeWake()
      } else if let watch = watch(descriptor), watch.number == UInt32(token >> 32) {
        // Else an earlier source of this round has unwatched it.
        watch.source.ready(for: Interest(rawValue: events[index].events))
      }
    }
  }

  private func watch(_ descriptor: Int32) -> Watch? {
    let index = Int(descriptor)
    return watches.indices.contains(index) ? watches[index] : nil
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ interest: Interest, number: UInt32) {
    let token = UInt64(number) << 32 | UInt64(UInt32(bitPattern: descriptor))
    let result = clinux_epoll_control(epoll, operation, descriptor, interest.rawValue, token)
    precondition(result == 0, "epoll refused descriptor \(descriptor): errno \(errno)")
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
    // A day is as good as any longer time: the loop asks again.
    let milliseconds =
      min(seconds, 86_400) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: milliseconds)
  }
}
