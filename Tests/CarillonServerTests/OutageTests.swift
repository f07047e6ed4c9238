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
        let acknowledged = Mutex<[String]>([])
        let refusals = Mutex<[HTTPTestClient.Response]>([])
        let enough = CompletionSignal()
        let isOver = CompletionSignal()

        try await withThrowingTaskGroup { group in
          for worker in 0..<16 {
            group.addTask {
              var number = 0
              while !isOver.isComplete {
                number += 1
                let id = "w\(worker).\(number)"
                let answer = try await client.send(
                  "PUT", Reports.path(Reports.device(worker), "/notifications/\(id)"),
                  body: Reports.notification(id, inHours: 1))
                if answer.status == 201 || answer.status == 200 {
                  acknowledged.withLock { $0.append("\(Reports.device(worker)) \(id)") }
                } else {
                  refusals.withLock { $0.append(answer) }
                }
                if acknowledged.withLock({ $0.count }) >= 200 { enough.complete() }
              }
            }
          }
          await enough.wait()
          await first.cluster.kill()
          let second = try await PreparedCluster.start(in: folder)
          // The service is back when a request succeeds again; nothing of it was restarted.
          let returned = acknowledged.withLock { $0.count } + 50
          while acknowledged.withLock({ $0.count }) < returned { await Task.yield() }
          isOver.complete()
          try await group.waitForAll()
          let stored = Set(
            try await second.column("SELECT device_id || ' ' || notification_id FROM carillon.notifications"))
          let lost = acknowledged.withLock { $0 }.filter { !stored.contains($0) }
          #expect(lost == [])
          await second.cluster.stop()
        }
        for refusal in refusals.withLock({ $0 }) {
          #expect(refusal.status == 503, "\(refusal)")
          #expect(refusal.header("Retry-After") != nil)
          #expect(refusal.json["code"]?.string == "databaseUnavailable")
          #expect(refusal.json["retryable"]?.bool == true)
        }
      }
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
