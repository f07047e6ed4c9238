import CarillonEventLoop

/// Once a second: what libmicrohttpd does not notice by itself.
///
/// - Its own timeout counts from the last byte, so a client that sends a byte now and then would hold its
///   connection without end. Nor does it tell a handshake from an idle client.
/// - It does not look at a suspended connection, so a handler would go on for a client that has gone.
/// - It misses the end of a connection that comes together with the last bytes.
/// - It knows nothing of what the server holds: when that becomes too much, those who have been slow the longest go.
///
/// Counting whole seconds costs a request no look at the clock.
extension HTTPServer {
  static let sweepInterval = Duration.seconds(1)
  /// A handler that has waited for so many sweeps has its client watched.
  static let sweepsUntilWatched = 2
  /// How long a body may take where the server holds too much.
  static let sweepsUntilShed = 2
  /// A connection that gets no further is asked so often whether its client is there.
  static let sweepsBetweenProbes = 8

  func scheduleSweep() {
    sweepTimer = loop.schedule(after: Self.sweepInterval) { [unowned self] in
      sweep()
      scheduleSweep()
    }
  }

  private func sweep() {
    sweepNumber += 1
    for connection in connections.values {
      let age = sweepNumber - connection.phaseBegan
      switch connection.phase {
      case .idle:
        let isLate = age > configuration.handshakeTimeout.sweeps && connection.isHandshaking
        if isLate || age > configuration.idleTimeout.sweeps || isAbandoned(connection, age) {
          connection.abort()
        }
      case .receiving, .swallowing:
        if age > configuration.transferTimeout.sweeps || isAbandoned(connection, age) { connection.abort() }
      case .answering:
        if age > configuration.transferTimeout.sweeps { connection.abort() }
      case .running:
        if age >= Self.sweepsUntilWatched { connection.watchClient(on: loop) }
      case .closed: break
      }
    }
    shed()
  }

  /// Ends the connections of those who have sent or read a body for the longest time, until half of what the server may
  /// hold is free. So a crowd of slow clients keeps others out for some seconds and no longer.
  private func shed() {
    guard heldBytes > configuration.heldBytesLimit / 4 * 3 else { return }
    var excess = heldBytes - configuration.heldBytesLimit / 2
    let slow = connections.values.filter { connection in
      connection.heldBytes > 0 && connection.phase != .running
        && sweepNumber - connection.phaseBegan >= Self.sweepsUntilShed
    }
    for connection in slow.sorted(by: { $0.phaseBegan < $1.phaseBegan }) where excess > 0 {
      excess -= connection.heldBytes
      connection.abort()
    }
  }

  private func isAbandoned(_ connection: Connection, _ age: Int) -> Bool {
    age % Self.sweepsBetweenProbes == Self.sweepsUntilWatched && connection.hasReachedEnd
  }
}

extension Duration {
  /// Whole sweeps, and one for the one under way.
  fileprivate var sweeps: Int { Int(clamping: components.seconds) &+ 1 }
}

/// Cancels a handler when its client has gone. Told once.
final class ClientWatch: EventSource {
  private let loop: EventLoop
  private let descriptor: Int32
  private var task: Task<Void, Never>?

  init(loop: EventLoop, descriptor: Int32, task: Task<Void, Never>) {
    self.loop = loop
    self.descriptor = descriptor
    self.task = task
    loop.watch(descriptor, for: .peerClosed, self)
  }

  func ready(for interest: Interest) {
    let task = task
    end()
    task?.cancel()
  }

  /// Must come before libmicrohttpd may close the descriptor. Idempotent.
  func end() {
    guard task != nil else { return }
    task = nil
    loop.unwatch(descriptor)
  }
}
