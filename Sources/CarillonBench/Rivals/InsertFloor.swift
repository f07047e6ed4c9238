import Foundation

/// What the database alone can do with a batch: pgbench with one INSERT of a thousand rows like the queue's, in the
/// server's own cluster, without row security.
struct InsertFloor {
  /// The folder of the cluster's unix socket.
  let socketFolder: String
  let programs: String

  private static let table = "public.floor_notifications"

  /// The queue's table without its rules and its foreign key.
  func prepare(on server: BenchServer) throws {
    try server.sql(
      "CREATE TABLE \(Self.table) (LIKE carillon.notifications INCLUDING DEFAULTS INCLUDING COMPRESSION)")
    try server.sql("ALTER TABLE \(Self.table) ADD PRIMARY KEY (tenant_id, device_id, notification_id)")
  }

  /// Transactions a second, each of ``EnqueueBenchmark/operationsPerBatch`` rows.
  func run(clients: Int, seconds: Int) throws -> Double {
    let script = NSTemporaryDirectory() + "carillon-insert-\(getpid()).sql"
    try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: script) }
    let output = try ChildProcess.run(
      "\(programs)/pgbench",
      [
        "-h", socketFolder, "-U", "postgres", "-n", "-M", "simple", "-c", "\(clients)", "-j", "2", "-T",
        "\(seconds)", "-f", script, "carillon",
      ])
    return try PostgresFloor.rate(in: output)
  }

  /// A head has some 60 bytes, a content some 90.
  private static var script: String {
    let rows = (0..<EnqueueBenchmark.operationsPerBatch).map { index in
      """
      (md5(:n::text)::uuid, md5('\(index / EnqueueBenchmark.operationsPerDevice)')::uuid, \
      'habit.\(index % EnqueueBenchmark.operationsPerDevice)', \
      '\(String(repeating: "h", count: 60))', '\(String(repeating: "content", count: 13))', now(), 1)
      """
    }
    return """
      \\set n random(0, 2000000000)
      INSERT INTO \(table) (tenant_id, device_id, notification_id, head, content, accepted_at, put_version) \
      VALUES \(rows.joined(separator: ", ")) ON CONFLICT DO NOTHING;
      """
  }
}
