import CMicroHTTPD
import CarillonEventLoop

extension HTTPServer {
  /// How often libmicrohttpd is given a turn for what it can do at once.
  static let turnsToFlush = 8

  /// Waits until no request is under way, at most `grace`.
  func waitUntilQuiet(_ grace: Duration) async {
    guard underWay > 0 else { return }
    let quiet = CompletionSignal()
    self.quiet = quiet
    let timer = loop.schedule(after: grace) { quiet.complete() }
    await quiet.wait()
    loop.cancel(timer)
    self.quiet = nil
  }

  /// Refuses what the handler did not finish in time, and cancels it. Every connection must be resumed before
  /// the daemon may stop.
  func abandonRunning() {
    for connection in connections.values where connection.phase == .running {
      connection.task?.cancel()
      finish(connection, connection.requestNumber, refused(.draining))
    }
  }
}
