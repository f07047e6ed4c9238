import CarillonEventLoop
import CarillonJSON
import CarillonModel
import CarillonPostgres
import CarillonServer
import CarillonStore
import IntegrationSupport
import Synchronization
import TestSupport
import Testing

/// PostgreSQL is killed and comes back while devices sync.
@Suite struct OutageTests {
  @Test func nothingAcknowledgedIsLostAndTheServiceReturnsByItself() async throws {
    try await withTemporaryFolder { folder in
      let first = try await PreparedCluster.start(in: folder)
      try await TestServer.with(conninfo: first.conninfo(.app), operatorConninfo: first.conninfo(.operator)) {
        server in
        let client = server.client(try await server.makeTenant())
        let ledger = Ledger()
        try await withThrowingTaskGroup { group in
          for worker in 0..<16 {
            group.addTask { try await ledger.fill(Reports.device(worker), as: "w\(worker)", through: client) }
          }
          await ledger.enough.wait()
          await first.cluster.kill()
          let second = try await PreparedCluster.start(in: folder)
          // The service is back when requests succeed again; nothing of it was restarted.
          await ledger.enoughAfter(50).wait()
          ledger.isOver.complete()
          try await group.waitForAll()
          let stored = Set(
            try await second.column("SELECT device_id || ' ' || notification_id FROM carillon.notifications"))
          #expect(ledger.acknowledged.filter { !stored.contains($0) } == [])
          await second.cluster.stop()
        }
        for refusal in ledger.refusals {
          #expect(refusal.status == 503, "\(refusal)")
          #expect(refusal.header("Retry-After") != nil)
          #expect(refusal.json["code"]?.string == "databaseUnavailable")
          #expect(refusal.json["retryable"]?.bool == true)
        }
      }
    }
  }
}

/// PostgreSQL is killed while the copy of an installation gets an id of its own.
@Suite struct ForkOutageTests {
  /// Where its transaction stops: at its first statement, between the new device and its plan, and behind both.
  @Test(
    "22 a fork that the database dies in has not been, and the report sent again makes one device",
    arguments: [
      "LOCK TABLE carillon.identity_claims IN SHARE MODE", "LOCK TABLE carillon.devices IN SHARE MODE",
      "LOCK TABLE carillon.plans IN SHARE MODE", "LOCK TABLE carillon.device_changes IN SHARE MODE",
    ])
  func killedInAFork(_ stop: String) async throws {
    try await withTemporaryFolder { folder in
      let first = try await PreparedCluster.start(in: folder)
      try await TestServer.with(conninfo: first.conninfo(.app), operatorConninfo: first.conninfo(.operator)) {
        server in
        let client = server.client(try await server.makeTenant())
        var phone = IdentityTests.Phone(client: client, key: "k1", token: "01")
        try await phone.sync()
        var copy = IdentityTests.Phone(client: client, device: phone.device, key: "k2", token: "02")
        copy.sequence = 1
        let put = Reports.notification("own", inHours: 3)
        let (path, report) = (Reports.path(copy.device), "\(copy.report),\"put\":[\(put)]}")

        let gate = LockGate()
        async let holding: Void = gate.hold(stop, in: first.superuser)
        defer { gate.open() }
        await gate.held()
        async let lost = client.send("POST", path, body: report)
        try await LockGate.untilWaiting(1) { try await first.column($0) }
        await first.cluster.kill()
        gate.open()
        _ = try? await holding
        #expect(try await lost.status == 503)

        let second = try await PreparedCluster.start(in: folder)
        let count = "SELECT count(*)::text FROM carillon."
        for table in ["devices", "device_syncs", "plans", "device_changes"] {
          #expect(try await second.column(count + table) == ["1"], "\(table)")
        }
        #expect(try await second.column(count + "identity_claims WHERE claim NOT LIKE '%1'") == ["0"])

        var ids: Set<String?> = []
        for _ in 0..<3 { ids.insert(try await again(path, report, client).json["deviceId"]?.string) }
        let id = try #require(ids.first ?? nil)
        #expect(ids.count == 1 && id != phone.device)
        for table in ["devices", "device_syncs", "plans", "device_changes"] {
          #expect(try await second.column(count + table) == ["2"], "\(table)")
        }
        copy.device = id
        #expect(try await copy.held() == ["own"])
        #expect(try await second.column(count + "identity_claims WHERE claim LIKE 'fork%'") == ["1"])
        await second.cluster.stop()
      }
    }
  }

  /// Until the service is back: nothing of it was restarted.
  private func again(
    _ path: String, _ report: String, _ client: HTTPTestClient
  ) async throws -> HTTPTestClient.Response {
    let begin = ContinuousClock.now
    while true {
      let answer = try await client.send("POST", path, body: report)
      if answer.status == 200 { return answer }
      try #require(answer.status == 503 && ContinuousClock.now - begin < .seconds(60), "\(answer)")
    }
  }
}

/// What clients were answered, from many tasks at once.
private final class Ledger: Sendable {
  private struct State {
    var acknowledged: [String] = []
    var refusals: [HTTPTestClient.Response] = []
    var goal = 200
    var goalSignal: CompletionSignal
  }

  let enough = CompletionSignal()
  let isOver = CompletionSignal()
  private let state: Mutex<State>

  init() { state = Mutex(State(goalSignal: enough)) }

  var acknowledged: [String] { state.withLock { $0.acknowledged } }
  var refusals: [HTTPTestClient.Response] { state.withLock { $0.refusals } }

  /// Completes when so many more are acknowledged.
  func enoughAfter(_ more: Int) -> CompletionSignal {
    let signal = CompletionSignal()
    state.withLock {
      $0.goal = $0.acknowledged.count + more
      $0.goalSignal = signal
    }
    return signal
  }

  /// Puts notifications until the test is over.
  func fill(_ device: String, as name: String, through client: HTTPTestClient) async throws {
    var number = 0
    while !isOver.isComplete {
      number += 1
      let id = "\(name).\(number)"
      let answer = try await client.send(
        "PUT", Reports.path(device, "/notifications/\(id)"), body: Reports.notification(id, inHours: 1))
      let reached = state.withLock { state -> CompletionSignal? in
        if answer.status == 201 {
          state.acknowledged.append("\(device) \(id)")
        } else {
          state.refusals.append(answer)
        }
        return state.acknowledged.count >= state.goal ? state.goalSignal : nil
      }
      reached?.complete()
    }
  }
}

/// A durable cluster of the test's own, with the product's database in it.
private struct PreparedCluster: Sendable {
  let cluster: LocalCluster

  static func start(in folder: String) async throws -> PreparedCluster {
    let loop = try EventLoop(name: "prepare")
    loop.start()
    let cluster = try await EmbeddedDatabase.start(in: folder, loop: loop)
    loop.stop()
    await loop.waitUntilStopped()
    return PreparedCluster(cluster: cluster)
  }

  func conninfo(_ role: Schema.Role) -> String {
    cluster.conninfo(role: role.rawValue, database: EmbeddedCluster.database)
  }

  var superuser: String {
    cluster.conninfo(role: EmbeddedCluster.superuser, database: EmbeddedCluster.database)
  }

  func column(_ sql: String) async throws -> [String] {
    let conninfo = superuser
    return try await withLoop { loop in
      let connection = try await PostgresConnection.connect(conninfo, on: loop)
      defer { connection.close() }
      let rows = try await connection.run(sql: sql)
      return (0..<rows.count).map { rows.text($0, 0) }
    }
  }
}
