import CarillonClient
import Synchronization
import TestSupport

/// A network of which one knows neither whether a request arrives nor whether its answer does.
final class UnreliableLink: Transport {
  enum Mode { case up, down, flaky }

  private struct State {
    var mode = Mode.up
    var random: SeededGenerator
  }

  private enum Fate { case arrives, losesRequest, losesAnswer }

  private let wire: any Transport
  private let state: Mutex<State>

  init(over wire: any Transport, seed: UInt64) {
    self.wire = wire
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  var mode: Mode {
    get { state.withLock { $0.mode } }
    set { state.withLock { $0.mode = newValue } }
  }

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let fate = state.withLock { state -> Fate in
      switch state.mode {
      case .up: .arrives
      case .down: .losesRequest
      case .flaky: [.arrives, .losesRequest, .losesAnswer].randomElement(using: &state.random) ?? .arrives
      }
    }
    if fate == .losesRequest { throw TransportError(.connection, "no network") }
    let answer = try await wire.send(request)
    if fate == .losesAnswer { throw TransportError(.connection, "the connection broke") }
    return answer
  }
}
