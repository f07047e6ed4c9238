import CarillonJSON
import Foundation
import Synchronization

/// A fleet of devices and the reports they send. Each connection has its own share of the devices, so that no
/// device reports twice at once and its sequence grows in order.
final class SyncFleet: Sendable {
  enum Stage: Sendable {
    /// Each device once, with its queue.
    case first
    /// Each device once: it says that it holds the plan, and changes it for the first and the second time.
    case confirming, changed(Int)
    /// Without an end: nothing has changed; one notification is put at another time; a device never seen before.
    case steady, changing, newcomers
  }

  static let notificationsPerDevice = 80

  private let devices: Int
  private let connections: Int
  private let key: String
  private let state: Mutex<State>

  private struct State {
    var stage = Stage.first
    /// Connections, and so the step from one device of a connection to its next.
    var lanes: Int
    /// The next device of each connection.
    var next: [Int] = []
    /// How often each connection has gone round its devices.
    var turns: [Int]
    var sequence = 0
    var newcomer: Int
    var bodies: ReportBodies
  }

  init(devices: Int, connections: Int, key: String) {
    self.devices = devices
    self.connections = connections
    self.key = key
    state = Mutex(
      State(
        lanes: connections, next: Array(0..<connections), turns: Array(repeating: 0, count: connections),
        newcomer: devices,
        bodies: ReportBodies(notifications: Self.notificationsPerDevice)))
  }

  /// - Parameter connections: that the next load has; nil: the fleet's own.
  func begin(_ stage: Stage, connections: Int? = nil) {
    state.withLock { state in
      state.stage = stage
      state.lanes = connections ?? self.connections
      // Who changes goes on where it was: what a device holds depends on how often it has changed.
      if case .changing = stage { return }
      state.next = Array(0..<state.lanes)
      state.turns = Array(repeating: 0, count: state.lanes)
    }
  }

  /// Two syncs a device: the first brings the queue and learns the plan, the second says that it is held.
  func fill(through load: Load, port: UInt16) async throws {
    let answer = try await everyDevice(.first, through: load, port: port)
    try state.withLock { try $0.bodies.learnPlan(answer) }
    _ = try await everyDevice(.confirming, through: load, port: port)
  }

  /// A server takes so many first syncs at once.
  private static let mostWhileFilling = 64

  /// Two more, after which a device can change as often as it likes: each knows what the other time's plan was.
  func prepareChanges(through load: Load, port: UInt16) async throws {
    for turn in 0..<2 {
      let answer = try await everyDevice(.changed(turn), through: load, port: port)
      try state.withLock { try $0.bodies.learnChange(turn, answer) }
    }
    begin(.steady)
  }

  /// All devices have the same queue, so the first answer says what all of them hold.
  private func everyDevice(_ stage: Stage, through load: Load, port: UInt16) async throws -> JSONValue {
    let connections = min(connections, Self.mostWhileFilling)
    begin(stage, connections: connections)
    let result = try await load.run(port: port, connections: connections, for: nil, next: next)
    guard result.failures == 0, result.answers == devices else {
      throw LoadFailure(
        detail: "\(result.failures) of \(result.answers) answers failed while filling: \(result.sampleText)")
    }
    return try JSONValue(parsing: result.sample)
  }

  /// Writes the connection's next request; false when its share of the stage is done.
  @Sendable func next(connection: Int, into buffer: inout [UInt8]) -> Bool {
    state.withLock { state in
      guard let (device, body) = report(of: connection, &state) else { return false }
      state.sequence += 1
      RequestWriter.post(
        "/v1/devices/\(Self.identifier(device))/sync", key: key,
        [Array("{\"sequence\":\(state.sequence)".utf8), body], into: &buffer)
      return true
    }
  }

  private func report(of connection: Int, _ state: inout State) -> (device: Int, body: [UInt8])? {
    if case .newcomers = state.stage {
      state.newcomer += 1
      return (state.newcomer, state.bodies.first)
    }
    if state.next[connection] >= devices {
      switch state.stage {
      case .steady, .changing: break
      default: return nil
      }
      guard connection < devices else { return nil }
      state.next[connection] = connection
      state.turns[connection] += 1
    }
    let device = state.next[connection]
    state.next[connection] += state.lanes
    switch state.stage {
    case .first, .newcomers: return (device, state.bodies.first)
    case .confirming, .steady: return (device, state.bodies.steady)
    case .changed(let turn): return (device, state.bodies.changes[turn])
    case .changing: return (device, state.bodies.changes[state.turns[connection] % 2])
    }
  }

  static func identifier(_ device: Int) -> String {
    let digits = String(device, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits + "-0000-4000-8000-000000000000"
  }
}
