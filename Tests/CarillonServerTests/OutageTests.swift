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

  func column(_ sql: String) async throws -> [String] {
    let conninfo = cluster.conninfo(role: EmbeddedCluster.superuser, database: EmbeddedCluster.database)
    return try await withLoop { loop in
      let connection = try await PostgresConnection.connect(conninfo, on: loop)
      defer { connection.close() }
      let rows = try await connection.run(sql: sql)
      return (0..<rows.count).map { rows.text($0, 0) }
    }
  }
}
