import Foundation

/// What the database alone can do: pgbench with one prepared upsert a transaction, on the server's own cluster.
struct PostgresFloor {
  /// The folder of the cluster's unix socket.
  let socketFolder: String
  let programs: String
  static let database = "carillon_bench_floor"

  /// Each a transaction of its own: VACUUM cannot share one.
  private static let schema = [
    """
    CREATE TABLE floor_devices (
      id uuid PRIMARY KEY, settings jsonb NOT NULL, app_version text NOT NULL, held int4 NOT NULL,
      foreign_count int4 NOT NULL, reported_at timestamptz NOT NULL, reports int8 NOT NULL
    ) WITH (fillfactor = 70)
    """,
    """
    INSERT INTO floor_devices
      SELECT md5(n::text)::uuid, '{}', '', 0, 0, now(), 1 FROM generate_series(0, 9999) n
    """,
    "VACUUM ANALYZE floor_devices",
  ]

  private static let script = """
    \\set n random(0, 9999)
    INSERT INTO floor_devices AS d (id, settings, app_version, held, foreign_count, reported_at, reports)
      VALUES (md5((:n)::text)::uuid, (:settings)::jsonb, :version, 64, 3, now(), 1)
      ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, app_version = excluded.app_version,
        held = excluded.held, foreign_count = excluded.foreign_count, reported_at = excluded.reported_at,
        reports = d.reports + 1
      RETURNING reports;
    """

  /// The settings of a full report, some 420 bytes: what a sync would store.
  static let settings = """
    {"alert":"enabled","sound":"enabled","badge":"enabled","lockScreen":"enabled","notificationCenter":"enabled",\
    "carPlay":"notSupported","criticalAlert":"notSupported","timeSensitive":"enabled","scheduledDelivery":"disabled",\
    "directMessages":"notSupported","announcement":"disabled","alertStyle":"banner","showPreviews":"always",\
    "providesAppNotificationSettings":true}
    """

  /// Makes the rival's database anew.
  func prepare() throws {
    let psql = "\(programs)/psql"
    let base = ["-h", socketFolder, "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-q"]
    _ = try ChildProcess.run(
      psql, base + ["-d", "postgres", "-c", "DROP DATABASE IF EXISTS \(Self.database)"])
    _ = try ChildProcess.run(psql, base + ["-d", "postgres", "-c", "CREATE DATABASE \(Self.database)"])
    for statement in Self.schema {
      _ = try ChildProcess.run(psql, base + ["-d", Self.database, "-c", statement])
    }
  }

  /// Transactions a second.
  func run(clients: Int, seconds: Int) throws -> Double {
    let script = NSTemporaryDirectory() + "carillon-floor-\(getpid()).sql"
    try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: script) }
    let output = try ChildProcess.run(
      "\(programs)/pgbench",
      [
        "-h", socketFolder, "-U", "postgres", "-n", "-M", "prepared", "-c", "\(clients)", "-j", "2",
        "-T", "\(seconds)", "-D", "settings=\(Self.settings)", "-D", "version=3.2.0", "-f", script,
        Self.database,
      ])
    return try Self.rate(in: output)
  }

  /// Transactions a second, as pgbench prints them.
  static func rate(in output: String) throws -> Double {
    guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
      let rate = Double(line.dropFirst(6).prefix { $0.isNumber || $0 == "." })
    else { throw LoadFailure(detail: "pgbench said no rate: \(output)") }
    return rate
  }
}
