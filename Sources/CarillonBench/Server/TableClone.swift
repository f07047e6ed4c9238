import Foundation

/// Makes many devices out of a few that were made by real syncs: their rows again, under other ids and tenants.
///
/// The fleet's shape is a real one's: one tenant has most devices and many have few, and most queues are short.
struct TableClone {
  struct Member {
    var tenant: String
    var device: String
    /// The device whose rows are copied.
    var template: String
  }

  /// What a device consists of, in the order of its foreign keys.
  private static let tables = ["devices", "device_syncs", "device_truths", "notifications", "plans"]
  /// Members that are copied in one transaction.
  private static let step = 50_000

  let server: BenchServer

  func copy(_ count: Int, member: (Int) -> Member, _ progress: (String) -> Void) throws {
    try server.sql(
      "CREATE TABLE IF NOT EXISTS public.bench_members (tenant_id uuid, device_id uuid, template uuid)")
    for start in stride(from: 0, to: count, by: Self.step) {
      let members = (start..<min(start + Self.step, count)).map(member)
      let file = NSTemporaryDirectory() + "carillon-members-\(getpid())"
      let lines = members.map { "\($0.tenant)\t\($0.device)\t\($0.template)\n" }.joined()
      try lines.write(toFile: file, atomically: true, encoding: .utf8)
      defer { try? FileManager.default.removeItem(atPath: file) }
      try server.sql("\\copy public.bench_members FROM '\(file)'")
      for table in Self.tables { try server.sql(Self.copying(table)) }
      try server.sql("TRUNCATE public.bench_members")
      progress("\(start + members.count) of \(count) devices")
    }
    try server.sql("VACUUM ANALYZE")
  }

  /// Whatever columns the table has; its foreign keys hold because the tables come in order.
  private static func copying(_ table: String) -> String {
    """
    SET session_replication_role = replica;
    DO $do$
    DECLARE v_columns text;
    BEGIN
      SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO v_columns
      FROM pg_attribute
      WHERE attrelid = 'carillon.\(table)'::regclass AND attnum > 0 AND NOT attisdropped
        AND attname NOT IN ('tenant_id', 'device_id');
      EXECUTE format(
        'INSERT INTO carillon.\(table) (tenant_id, device_id, %1$s)
          SELECT m.tenant_id, m.device_id, t.* FROM public.bench_members AS m
          CROSS JOIN LATERAL (SELECT %1$s FROM carillon.\(table) WHERE device_id = m.template) AS t', v_columns);
    END
    $do$
    """
  }
}
