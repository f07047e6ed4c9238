import CarillonEventLoop
import CarillonPostgres
import CarillonStore

/// Hears of changed credentials at once. Where the hint does not come, as while the connection is down, the change is
/// effective in less than a second all the same: nothing is remembered for longer.
actor CredentialHints {
  static let betweenAttempts = Duration.seconds(1)

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let conninfo: String
  private let changed: @Sendable () -> Void
  private let hasTried = CompletionSignal()
  private var listener: CredentialListener?
  private var pause: CompletionSignal?
  private var rounds: Task<Void, Never>?
  private var isClosed = false

  /// - Parameter changed: what is remembered is to be forgotten.
  init(loop: EventLoop, conninfo: String, changed: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.conninfo = conninfo
    self.changed = changed
  }

  /// Returns when it listens, or the first attempt to has failed.
  func open() async {
    rounds = Task(executorPreference: loop) { await self.run() }
    await hasTried.wait()
  }

  func close() async {
    isClosed = true
    listener?.close()
    pause?.complete()
    await rounds?.value
  }

  private func run() async {
    while !isClosed {
      do {
        let connection = try await PostgresConnection.connect(conninfo, on: loop)
        let listener = try await CredentialListener(connection, changed: changed)
        self.listener = listener
        // What was told while nobody listened.
        changed()
        hasTried.complete()
        if !isClosed { await listener.waitUntilLost() }
        listener.close()
        self.listener = nil
      } catch {
        hasTried.complete()
      }
      if !isClosed { await rest() }
    }
  }

  private func rest() async {
    let pause = CompletionSignal()
    self.pause = pause
    let timer = loop.schedule(after: Self.betweenAttempts) { pause.complete() }
    await pause.wait()
    loop.cancel(timer)
    self.pause = nil
  }
}
