import CarillonJSON
import Foundation
import Synchronization

/// A fleet of devices and the requests they send. Each connection has its own share of the devices, so that no
/// device is asked for twice at once and its sequence grows in order.
final class SyncFleet: Sendable {
  enum Stage: Sendable { case first, confirming, steady }

  static let notificationsPerDevice = 80

  private let devices: Int
  private let connections: Int
  private let key: String
  private let state: Mutex<State>

  private struct State {
    var stage = Stage.first
    /// The next device of each connection.
    var next: [Int] = []
    var sequence = 0
    /// Bodies without their beginning `{"sequence":N`.
    var firstBody: [UInt8]
    var laterBody: [UInt8] = []
  }

  init(devices: Int, connections: Int, key: String) {
    self.devices = devices
    self.connections = connections
    self.key = key
    state = Mutex(
      State(firstBody: Array(",\(Self.report),\"pending\":[],\"put\":[\(Self.puts())]}".utf8)))
  }

  func begin(_ stage: Stage) {
    state.withLock { state in
      state.stage = stage
      state.next = Array(0..<connections)
    }
  }

  /// Two syncs a device: the first brings the queue and learns the plan, the second says that it is held.
  func fill(through load: Load, port: UInt16) async throws {
    for stage in [Stage.first, .confirming] {
      begin(stage)
      let result = try await load.run(port: port, connections: connections, for: nil, next: next)
      guard result.failures == 0, result.answers == devices else {
        throw LoadFailure(
          detail: "\(result.failures) of \(result.answers) answers failed while filling: \(result.sampleText)"
        )
      }
      if stage == .first { try learn(result.sample) }
    }
  }

  /// Takes the plan from a device's first answer: all devices have the same queue, so all hold the same.
  func learn(_ answer: [UInt8]) throws {
    let adds = try JSONValue(parsing: answer)["diff"]?["add"]?.array ?? []
    guard adds.count == 64 else {
      throw LoadFailure(detail: "a first sync brought \(adds.count) requests, not 64")
    }
    let pending = adds.map { add in
      "{\"id\":\"\(add["id"]?.string ?? "")\",\"revision\":\"\(add["revision"]?.string ?? "")\"}"
    }
    state.withLock {
      $0.laterBody = Array(",\(Self.report),\"pending\":[\(pending.joined(separator: ","))]}".utf8)
    }
  }

  /// Writes the connection's next request; false when its share of the stage is done. A steady stage has no end.
  @Sendable func next(connection: Int, into buffer: inout [UInt8]) -> Bool {
    state.withLock { state in
      if state.next[connection] >= devices {
        guard state.stage == .steady, connection < devices else { return false }
        state.next[connection] = connection
      }
      let device = state.next[connection]
      state.next[connection] += connections
      state.sequence += 1
      let start = Array("{\"sequence\":\(state.sequence)".utf8)
      let body = state.stage == .first ? state.firstBody : state.laterBody
      buffer +=
        """
        POST /v1/devices/\(Self.identifier(device))/sync HTTP/1.1\r\nHost: 127.0.0.1\r\n\
        Authorization: Bearer \(key)\r\nContent-Type: application/json\r\n\
        Content-Length: \(start.count + body.count)\r\n\r\n
        """.utf8
      buffer += start
      buffer += body
      return true
    }
  }

  private static func identifier(_ device: Int) -> String {
    let digits = String(device, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits + "-0000-4000-8000-000000000000"
  }

  private static let report = """
    "device":{"platform":"iOS","osVersion":"26.1","appVersion":"3.2.0","bundleId":"com.example.app",\
    "timeZone":"Europe/Madrid","firstWeekday":2,"minimumDaysInFirstWeek":4,"locale":"es_ES"},\
    "authorizationStatus":"authorized","settings":\(PostgresFloor.settings),\
    "foreign":{"count":0,"regions":0},"delivered":[]
    """

  /// One notification an hour, from tomorrow on.
  private static func puts() -> String {
    let tomorrow = Date().addingTimeInterval(86_400)
    return (0..<notificationsPerDevice).map { index in
      let at = tomorrow.addingTimeInterval(Double(index) * 3600).formatted(.iso8601)
      return """
        {"id":"habit.\(index)","content":{"title":"Habit \(index)","body":"Two minutes are enough.","sound":"default"},\
        "trigger":{"kind":"instant","at":"\(at)"}}
        """
    }.joined(separator: ",")
  }
}
