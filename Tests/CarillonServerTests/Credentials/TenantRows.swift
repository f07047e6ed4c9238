import CarillonModel
import IntegrationSupport

/// Every row of a tenant in every table that a request could change, as text.
enum TenantRows {
  static func of(_ tenant: TestTenant, in server: TestServer) async throws -> [String: String] {
    let tables = try await server.database.column(
      """
      SELECT c.relname::text FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'carillon'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'tenant_id'
        -- Counted beside the requests, after a day has ended.
        AND c.relname NOT IN ('report_days', 'report_counts')
      """)
    var rows: [String: String] = [:]
    for table in tables.compactMap(\.self) {
      rows[table] =
        try await server.database.column(
          """
          SELECT string_agg(t::text, '|' ORDER BY t::text) FROM carillon.\(table) AS t
          WHERE tenant_id = '\(tenant.id.text)'
          """
        ).first ?? nil
    }
    return rows
  }
}
