import CarillonEventLoop
import CarillonPostgres
import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct LocalClusterTests {
  private func text(_ conninfo: String, _ sql: String) async throws -> String {
    try await withLoop { loop in
      let connection = try await PostgresConnection.connect(conninfo, on: loop)
      defer { connection.close() }
      return try await connection.run(sql: sql).text(0, 0)
    }
  }

  @Test func aClusterIsMadeOnceIsOursAloneAndKeepsItsData() async throws {
    try await withTemporaryFolder { folder in
      var configuration = LocalCluster.Configuration(folder: "\(folder)/a/cluster")
      configuration.settings = ["work_mem": "5MB"]
      let first = try await LocalCluster.start(configuration)
      let conninfo = first.conninfo(role: "postgres", database: "postgres")
      let settings = ["listen_addresses", "fsync", "server_encoding", "lc_collate", "work_mem"]
        .map { "current_setting('\($0)')" }.joined(separator: ", ")
      #expect(try await text(conninfo, "SELECT concat_ws('/', \(settings))") == "/on/UTF8/C/5MB")
      var status = stat()
      #expect(stat("\(folder)/a/cluster", &status) == 0 && status.st_mode & 0o777 == 0o700)
      try await administer(conninfo, itemsTable, "INSERT INTO items VALUES (7, '{}')")

      // Another start while it runs says so.
      let error = await #expect(throws: LocalClusterError.self) {
        _ = try await LocalCluster.start(configuration)
      }
      #expect(error?.code == .folderInUse)
      #expect(error?.description.contains("in use by another process (its server has pid") == true)
      let running = LocalCluster.runningConninfo(
        folder: configuration.folder, role: "postgres", database: "postgres")
      #expect(running == conninfo)

      await first.stop()
      await first.stop()
      #expect(LocalCluster.runningConninfo(folder: configuration.folder, role: "a", database: "b") == nil)

      // A file left behind, whose pid belongs to another program by now: this one.
      let stale = try #require(fopen("\(folder)/a/cluster/data/postmaster.pid", "w"))
      fputs("\(getpid())\n/elsewhere\n", stale)
      fclose(stale)
      let second = try await LocalCluster.start(configuration)
      let again = second.conninfo(role: "postgres", database: "postgres")
      #expect(try await administer(again, "SELECT number FROM items") == 7)
      await second.stop()
    }
  }

  @Test func aLongPathHasItsSocketElsewhere() async throws {
    try await withTemporaryFolder { folder in
      let long = "\(folder)/\(String(repeating: "long-", count: 30))/it's a cluster, really"
      var configuration = LocalCluster.Configuration(folder: long)
      configuration.settings = ["fsync": "off"]
      configuration.removesFolder = true
      let cluster = try await LocalCluster.start(configuration)
      let conninfo = cluster.conninfo(role: "postgres", database: "postgres")
      #expect(!conninfo.contains("long-"))
      #expect(try await administer(conninfo, "SELECT 1") == 1)
      #expect(LocalCluster.runningConninfo(folder: long, role: "postgres", database: "postgres") == conninfo)
      await cluster.stop()
      #expect(access(long, F_OK) != 0)
    }
  }

  @Test func theWatchdogEndsAClusterThatNobodyHolds() async throws {
    try await withTemporaryFolder { folder in
      var configuration = LocalCluster.Configuration(folder: "\(folder)/cluster")
      configuration.settings = ["fsync": "off"]
      // Dropped without a stop: the same closed pipe as when the process is killed.
      _ = try await LocalCluster.start(configuration)
      // A start waits until the predecessor has ended, and then has the folder.
      var cluster: LocalCluster?
      while cluster == nil {
        do {
          cluster = try await LocalCluster.start(configuration)
        } catch let error as LocalClusterError where error.code == .folderInUse {
          await Task.yield()
        }
      }
      await cluster?.stop()
    }
  }

  /// A backend at work does not notice that its postmaster has gone, and keeps the shared memory; the files that name
  /// the dead postmaster may name a living program by now.
  @Test func whatAKilledServerLeavesDoesNotHoldUpTheNext() async throws {
    try await withTemporaryFolder { folder in
      let configuration = LocalCluster.Configuration(folder: "\(folder)/cluster")
      let first = try await LocalCluster.start(configuration)
      let conninfo = first.conninfo(role: "postgres", database: "postgres")
      try await administer(
        conninfo, itemsTable, "INSERT INTO items VALUES (7, '{}')", "CREATE SEQUENCE begun")
      let busy = Task {
        try await administer(
          conninfo, "SELECT nextval('begun')",
          "DO 'BEGIN WHILE clock_timestamp() < now() + interval ''2 minutes'' LOOP END LOOP; END'")
      }
      while try await administer(conninfo, "SELECT is_called::int FROM begun") != 1 { await Task.yield() }
      let loss = Task { await first.waitForLoss() }
      let pid = try #require(
        pid_t(
          String(contentsOfFile: "\(configuration.folder)/data/postmaster.pid", encoding: .utf8).prefix(
            while: \.isNumber)))
      kill(pid, SIGKILL)
      let known = try #require(await loss.value)
      #expect(known.pid == pid && known.status == -SIGKILL)
      #expect(known.description.contains("ended by signal 9"))
      await first.stop()
      #expect(await first.waitForLoss() == nil)

      // Alive, of the same user, and none of this cluster.
      let other = try #require(
        try await administer(
          try await makeDatabase().conninfo,
          "SELECT pid::bigint FROM pg_stat_activity WHERE backend_type = 'checkpointer'"))
      try "\(other)\n\(configuration.folder)/data\n".write(
        toFile: "\(configuration.folder)/socket/.s.PGSQL.5432.lock", atomically: false, encoding: .utf8)
      let second = try await LocalCluster.start(configuration)
      let again = second.conninfo(role: "postgres", database: "postgres")
      #expect(try await administer(again, "SELECT number FROM items") == 7)
      await #expect(throws: (any Error).self) { try await busy.value }
      // One that is stopped is not lost.
      let none = Task { await second.waitForLoss() }
      await second.stop()
      #expect(await none.value == nil)
    }
  }

  @Test func aServerThatCannotStartSaysWhy() async throws {
    try await withTemporaryFolder { folder in
      var configuration = LocalCluster.Configuration(folder: "\(folder)/cluster")
      configuration.settings = ["fsync": "off", "shared_buffers": "nonsense"]
      let error = await #expect(throws: LocalClusterError.self) {
        _ = try await LocalCluster.start(configuration)
      }
      #expect(error?.code == .startFailed)
      #expect(error?.description.contains("shared_buffers") == true)
    }
  }
}
