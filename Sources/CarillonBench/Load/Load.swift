import CarillonEventLoop

/// A closed load: so many connections, each with one request in flight, for so long.
actor Load {
  struct Result: Sendable {
    var answers = 0
    var failures = 0
    var seconds = 0.0
    /// Of those that did not fail. Nanoseconds, sorted.
    var latencies: [UInt64] = []
    var bytes = 0
    /// The body of the first answer.
    var sample: [UInt8] = []
    /// The body of the first one that failed.
    var failure: [UInt8] = []
    /// Its status line and fields.
    var sampleFields: [UInt8] = []

    var sampleText: String {
      String(decoding: (failure.isEmpty ? sample : failure).prefix(400), as: UTF8.self)
    }
    var perSecond: Double { seconds > 0 ? Double(answers) / seconds : 0 }

    func percentile(_ share: Double) -> Double {
      guard !latencies.isEmpty else { return 0 }
      let index = min(latencies.count - 1, Int(Double(latencies.count) * share))
      return Double(latencies[index]) / 1e6
    }
  }

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) { self.loop = loop }

  /// - Parameters:
  ///   - duration: nil runs until `next` says false on every connection.
  ///   - pace: from the beginning of a connection's request to that of its next one; nil: as soon as it is answered.
  ///   - next: called on the loop with the connection's index; writes a whole request into the buffer.
  func run(
    port: UInt16, connections: Int, for duration: Duration?, pace: Duration? = nil,
    next: @escaping @Sendable (_ connection: Int, _ buffer: inout [UInt8]) -> Bool
  ) async throws -> Result {
    let run = Run(loop: loop, open: connections)
    let start = MonotonicClock.nanoseconds
    let deadline = duration.map { start + UInt64($0.components.seconds) * 1_000_000_000 }
    for index in 0..<connections {
      let connection = try LoadConnection(
        to: port, on: loop, pace: pace,
        next: { buffer in
          if let deadline, MonotonicClock.nanoseconds >= deadline { return false }
          return next(index, &buffer)
        }, answered: run.record, ended: run.connectionEnded)
      run.connections.append(connection)
    }
    for connection in run.connections { connection.start() }
    await run.over.wait()
    var result = run.result
    run.connections = []
    result.seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
    result.latencies.sort()
    return result
  }

  private final class Run {
    var connections: [LoadConnection] = []
    var result = Result()
    let over = CompletionSignal()
    private var open: Int

    init(loop: EventLoop, open: Int) { self.open = open }

    func record(_ answer: LoadConnection.Answer) {
      result.answers += 1
      result.bytes += answer.head.length + answer.head.bodyLength
      if result.answers == 1 {
        result.sample = answer.body()
        result.sampleFields = answer.fields()
      }
      if (200..<400).contains(answer.head.status) {
        result.latencies.append(answer.nanoseconds)
      } else {
        if result.failures == 0 { result.failure = answer.body() }
        result.failures += 1
      }
    }

    func connectionEnded() {
      open -= 1
      if open == 0 { over.complete() }
    }
  }
}
