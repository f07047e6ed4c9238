import CarillonEventLoop
import CarillonJSON
import CarillonModel
import CarillonPostgres
import CarillonStore
import Foundation
import Glibc
import IntegrationSupport
import Synchronization
import TestSupport
import Testing

/// The answer is lost: with the client's connection, the database's, or the server itself. The same request again has no
/// second effect.
@Suite struct CrashTests {
  /// Each request asks for the next step on a device: one row more, and one more only.
  private static let devices = (0..<16).map { Reports.device($0 + 1) }
  private static let steps = "SELECT coalesce(sum(last_step), 0)::text FROM carillon.device_priming"

  private static func question(_ device: String) -> KeyedRequest {
    KeyedRequest(
      method: "POST", path: Reports.path(device, "/priming"), body: "{\"action\":\"reminder.created\"}")
  }

  private func makeDevices(_ client: HTTPTestClient) async throws {
    for device in Self.devices {
      let answer = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 1))
      try #require(answer.status == 200, "\(answer)")
    }
  }

  @Test func aClientThatHungUpFindsItsAnswer() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let client = server.client(tenant)
      try await makeDevices(client)
      let request = Self.question(Self.devices[0])
      let body = request.body ?? ""
      let bytes = """
        POST \(request.path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(tenant.key)\r\n\
        Idempotency-Key: lost\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
        """
      try RawSocket.sendAndHangUp(Array(bytes.utf8), port: server.port)
      while try await server.database.column(Self.steps) != ["1"] {}
      let answer = try await request.send("lost", by: client)
      #expect(answer.status == 200 && answer.isReplay, "\(answer)")
      #expect(try await server.database.column(Self.steps) == ["1"])
    }
  }

  /// Sessions of the server are ended again and again, also between a COMMIT and its answer.
  @Test func sessionsThatAreEndedLoseAndDoubleNothing() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      try await makeDevices(client)
      let ledger = KeyLedger(requests: 40)
      let superuser = server.database.superuserConninfo
      try await withThrowingTaskGroup { group in
        for device in Self.devices { group.addTask { try await ledger.ask(device, client) } }
        group.addTask {
          try await withLoop { loop in
            let connection = try await PostgresConnection.connect(superuser, on: loop)
            defer { connection.close() }
            while !ledger.isDone(Self.devices.count) {
              _ = try await connection.run(
                sql: """
                  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE usename = 'carillon_app' AND datname = current_database()
                  """)
              await ledger.progress()
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(ledger.failures > 0, "nothing was lost, so nothing was tried")
      let expected = Self.devices.count * 40
      #expect(try await server.database.column(Self.steps) == ["\(expected)"])
    }
  }

  /// kill -9 of the server in the middle, several times over.
  @Test func aKilledServerLosesAndDoublesNothing() async throws {
    let database = try await MigratedDatabase.make()
    let tenant = try await TestTenant.make(
      "killed", operatorConninfo: database.conninfo(.operator), at: Instant(seconds: 1_796_000_000))
    let ledger = KeyLedger(requests: 30)
    for round in 1...4 {
      let server = try ProgramTests.Running(
        ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "2"],
        environment: ["DATABASE_URL": database.conninfo(.app)])
      try #require(await server.read(until: "ready"), "\(server.lines)")
      let client = HTTPTestClient(port: try #require(server.port("port")), key: tenant.key)
      if round == 1 { try await makeDevices(client) }
      try await withThrowingTaskGroup { group in
        for device in Self.devices {
          group.addTask { try await ledger.ask(device, client, untilGone: true) }
        }
        if round < 4 {
          await ledger.progress(by: 60)
          kill(server.process.processIdentifier, SIGKILL)
        }
        try await group.waitForAll()
      }
      if round == 4 { server.process.terminate() }
      _ = await server.readToEnd()
    }
    #expect(ledger.isDone(Self.devices.count))
    #expect(ledger.failures > 0, "nothing was lost, so nothing was tried")
    #expect(try await database.column(Self.steps) == ["\(Self.devices.count * 30)"])
  }
}

/// Which requests have been answered, from many tasks at once: each device's in their order, each under its own key
/// until it has its answer.
private final class KeyLedger: Sendable {
  private struct State {
    var answered: [String: Int] = [:]
    var total = 0
    var failures = 0
    var goal = Int.max
    var reached = CompletionSignal()
  }

  private let requests: Int
  private let state = Mutex(State())

  init(requests: Int) { self.requests = requests }

  var failures: Int { state.withLock { $0.failures } }

  func isDone(_ devices: Int) -> Bool { state.withLock { $0.total >= requests * devices } }

  /// Returns when so many more are answered, or all are.
  func progress(by more: Int = 10) async {
    let signal = CompletionSignal()
    let isThere = state.withLock { state in
      state.goal = state.total + more
      state.reached = signal
      return state.total >= requests * 16
    }
    if !isThere { await signal.wait() }
  }

  /// - Parameter untilGone: returns when nobody answers any more, with the request under way still to be sent again.
  func ask(_ device: String, _ client: HTTPTestClient, untilGone: Bool = false) async throws {
    let request = KeyedRequest(
      method: "POST", path: Reports.path(device, "/priming"), body: "{\"action\":\"reminder.created\"}")
    while case let number = state.withLock({ $0.answered[device, default: 0] }), number < requests {
      let answer = try? await request.send("\(device).\(number)", by: client)
      if let answer, answer.status == 200 {
        note { state in
          state.answered[device, default: 0] += 1
          state.total += 1
        }
      } else {
        note { $0.failures += 1 }
        if let answer, answer.status != 503 {
          throw HTTPTestClient.Failure(description: "\(answer)")
        }
        if answer == nil, untilGone { return }
      }
    }
  }

  private func note(_ change: (inout State) -> Void) {
    let signal = state.withLock { state -> CompletionSignal? in
      change(&state)
      return state.total >= state.goal || state.total >= requests * 16 ? state.reached : nil
    }
    signal?.complete()
  }
}

/// A socket of which nothing is read.
enum RawSocket {
  static func sendAndHangUp(_ bytes: [UInt8], port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let sent = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard connected == 0, sent == bytes.count else {
      throw HTTPTestClient.Failure(description: "could not send: errno \(errno)")
    }
  }
}
