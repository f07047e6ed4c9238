import CarillonModel
import Synchronization

/// Where an installation's state outlives the process. ``FileStateStore`` is the usual one.
///
/// It must not travel to another device with a backup: two devices with one id are told apart by the server, but one
/// of them then starts anew.
public protocol StateStore: Sendable {
  func load() async throws(CarillonError) -> LoadedState
  /// Returns when the state would survive a power cut.
  func save(_ state: ClientState) async throws(CarillonError)
}

/// What a store found.
public enum LoadedState: Hashable, Sendable {
  /// The first start of this installation.
  case absent
  case state(ClientState)
  /// What was there could not be read and was set aside; this starts as a new installation.
  case damaged(DamagedState)
}

/// A state that could not be read.
public struct DamagedState: Hashable, Sendable {
  /// Where it now is, for whoever looks into it.
  public var setAside: String
  public var reason: String

  public init(setAside: String, reason: String) {
    self.setAside = setAside
    self.reason = reason
  }
}

/// Keeps the state for as long as it lives: for tests, and for apps that want a new installation at every start.
public final class InMemoryStateStore: StateStore {
  private let state: Mutex<ClientState?>

  public init(_ state: ClientState? = nil) { self.state = Mutex(state) }

  /// What was saved last.
  public var current: ClientState? { state.withLock { $0 } }

  public func load() async throws(CarillonError) -> LoadedState {
    current.map { .state($0) } ?? .absent
  }

  public func save(_ state: ClientState) async throws(CarillonError) {
    self.state.withLock { $0 = state }
  }
}
