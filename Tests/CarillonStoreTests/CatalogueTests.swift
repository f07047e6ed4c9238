import CarillonStore
import Testing

/// The rules that let one schema serve PostgreSQL and Citus, held against the catalogue of a migrated database.
/// Each query lists what breaks a rule.
@Suite struct CatalogueTests {
  static let tables = """
    tables AS (
      SELECT c.oid, c.relname::text AS name, EXISTS (
          SELECT FROM pg_attribute AS a
          WHERE a.attrelid = c.oid AND a.attname = 'device_id' AND NOT a.attisdropped
        ) AS has_device, c.relrowsecurity, c.relforcerowsecurity
      FROM pg_class AS c
      WHERE c.relnamespace = 'carillon'::regnamespace AND c.relkind IN ('r', 'p')
        AND c.relname <> 'schema_migrations'
    )
    """

  static let rules: [(rule: String, breaks: String)] = [
    (
      "every table has tenant_id uuid NOT NULL, and device_id is as strict",
      """
      SELECT t.name FROM tables AS t
      WHERE NOT EXISTS (
          SELECT FROM pg_attribute AS a
          WHERE a.attrelid = t.oid AND a.attname = 'tenant_id' AND a.attnotnull
            AND a.atttypid = 'uuid'::regtype)
        OR t.has_device AND NOT EXISTS (
          SELECT FROM pg_attribute AS a
          WHERE a.attrelid = t.oid AND a.attname = 'device_id' AND a.attnotnull
            AND a.atttypid = 'uuid'::regtype)
      """
    ),
    (
      "tenant_id leads every index but three that find a tenant",
      """
      SELECT i.indexrelid::regclass::text FROM tables AS t
      JOIN pg_index AS i ON i.indrelid = t.oid
      JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
      WHERE a.attname <> 'tenant_id'
        AND i.indexrelid NOT IN (
          'carillon.tenants_name_key'::regclass, 'carillon.api_keys_key_id_key'::regclass,
          'carillon.signing_keys_key_id_key'::regclass)
      """
    ),
    (
      "every unique index of a device table has device_id right after tenant_id",
      """
      SELECT i.indexrelid::regclass::text FROM tables AS t
      JOIN pg_index AS i ON i.indrelid = t.oid AND i.indisunique
      LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = i.indkey[1]
      WHERE t.has_device AND a.attname IS DISTINCT FROM 'device_id'
      """
    ),
    (
      "every table has a primary key",
      """
      SELECT t.name FROM tables AS t
      WHERE NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = t.oid AND i.indisprimary)
      """
    ),
    (
      "foreign keys lead to devices by both keys, or to a reference table by tenant_id, and cascade",
      """
      SELECT k.conname::text FROM tables AS t
      JOIN pg_constraint AS k ON k.conrelid = t.oid AND k.contype = 'f'
      JOIN tables AS target ON target.oid = k.confrelid
      WHERE k.confdeltype <> 'c'
        OR (SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = t.oid AND a.attnum = k.conkey[1])
          <> 'tenant_id'
        OR target.has_device AND (
          target.name <> 'devices' OR NOT t.has_device OR 'device_id' <> (
            SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = t.oid AND a.attnum = k.conkey[2]))
      """
    ),
    (
      "no triggers, rules, exclusion constraints, generated keys",
      """
      SELECT tgname::text FROM pg_trigger JOIN tables AS t ON t.oid = tgrelid WHERE NOT tgisinternal
      UNION ALL SELECT rulename::text FROM pg_rewrite JOIN tables AS t ON t.oid = ev_class
      UNION ALL SELECT conname::text FROM pg_constraint JOIN tables AS t ON t.oid = conrelid
        WHERE contype = 'x'
      UNION ALL SELECT attname::text FROM pg_attribute JOIN tables AS t ON t.oid = attrelid
        WHERE attname IN ('tenant_id', 'device_id') AND attgenerated <> ''
      """
    ),
    (
      "no sequences and no identity columns",
      """
      SELECT relname::text FROM pg_class WHERE relnamespace = 'carillon'::regnamespace AND relkind = 'S'
      UNION ALL SELECT attname::text FROM pg_attribute JOIN tables AS t ON t.oid = attrelid
        WHERE attidentity <> ''
      """
    ),
    (
      "row security is on and forced",
      "SELECT t.name FROM tables AS t WHERE NOT t.relrowsecurity OR NOT t.relforcerowsecurity"
    ),
    (
      "one policy a table, the same for all and for every command",
      """
      SELECT t.name FROM tables AS t
      WHERE (SELECT count(*) FROM pg_policy AS p WHERE p.polrelid = t.oid AND p.polname <> 'key_lookup') <> 1
        OR NOT EXISTS (
          SELECT FROM pg_policy AS p
          WHERE p.polrelid = t.oid AND p.polname = 'tenant_isolation' AND p.polcmd = '*' AND p.polpermissive
            AND p.polroles = '{0}' AND p.polwithcheck IS NULL
            AND pg_get_expr(p.polqual, p.polrelid) =
              '(tenant_id = (NULLIF(current_setting(''app.tenant_id''::text, true), ''''::text))::uuid)')
      """
    ),
    (
      "the look-up role's policy stands on the keys alone and only reads",
      """
      SELECT p.polrelid::regclass::text FROM pg_policy AS p
      WHERE p.polname <> 'tenant_isolation' AND NOT (
        p.polname = 'key_lookup' AND p.polcmd = 'r'
        AND p.polrelid IN ('carillon.api_keys'::regclass, 'carillon.signing_keys'::regclass)
        AND p.polroles = ARRAY['carillon_auth'::regrole::oid])
      """
    ),
    (
      "few functions run as another role, and that role can do nothing else",
      """
      SELECT p.proname::text FROM pg_proc AS p
      WHERE p.pronamespace = 'carillon'::regnamespace AND p.prosecdef AND NOT (
        p.proname IN ('key_lookup', 'signing_key_lookup', 'next_tenant') AND p.proowner = 'carillon_auth'::regrole
        AND 'search_path=pg_catalog, pg_temp' = ANY (p.proconfig)
        OR p.proname = 'erase_audit' AND p.proowner = 'carillon_eraser'::regrole
        AND 'search_path=pg_catalog, pg_temp' = ANY (p.proconfig)
        -- The owner is bound by row security, and these set the tenant they were asked for.
        OR p.proname IN ('delete_tenant_rows', 'import_rows') AND p.proowner = 'carillon_owner'::regrole
        AND 'search_path=pg_catalog, pg_temp' = ANY (p.proconfig))
      UNION ALL
      SELECT table_name || ' ' || privilege_type FROM information_schema.table_privileges
      WHERE grantee = 'carillon_eraser' AND (privilege_type NOT IN ('SELECT', 'DELETE') OR table_name <> 'audit_log')
      UNION ALL
      SELECT table_name || ' ' || privilege_type FROM information_schema.table_privileges
      WHERE grantee = 'carillon_auth' AND (
        privilege_type <> 'SELECT' OR table_name NOT IN ('api_keys', 'signing_keys', 'tenants'))
      """
    ),
    (
      "the worker reads and takes away, no more; what is secret or somebody's words it does not see",
      """
      SELECT table_name || ' ' || privilege_type FROM information_schema.table_privileges
      WHERE grantee = 'carillon_worker' AND NOT (
        privilege_type = 'SELECT' AND table_name NOT IN (
            'api_keys', 'signing_keys', 'notifications', 'plans', 'device_priming', 'device_idempotency_keys',
            'tenant_idempotency_keys')
        OR privilege_type = 'DELETE' AND table_name IN (
          'deliveries', 'device_events', 'device_evictions', 'device_idempotency_keys', 'inbox_items', 'policies',
          'report_counts', 'report_days', 'tenant_idempotency_keys'))
      UNION ALL
      SELECT table_name || '.' || column_name FROM information_schema.column_privileges
      WHERE grantee = 'carillon_worker' AND privilege_type NOT IN ('SELECT')
        AND (table_name, column_name) NOT IN (
          ('device_syncs', 'row_version'), ('tenants', 'retention_at'), ('tenants', 'retention_moved_at'))
      """
    ),
    (
      "nobody changes what stands in the audit log, and only its eraser takes it away",
      """
      SELECT r.rolname || ' ' || p.privilege
      FROM pg_roles AS r
      CROSS JOIN unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) AS p (privilege)
      WHERE NOT r.rolsuper AND r.rolname NOT LIKE 'pg\\_%' AND (r.rolname, p.privilege) <> ('carillon_eraser', 'DELETE')
        AND has_table_privilege(r.oid, 'carillon.audit_log', p.privilege)
      UNION ALL
      SELECT r.rolname || ' runs ' || p.proname FROM pg_roles AS r, pg_proc AS p
      WHERE p.proname = 'erase_audit' AND NOT r.rolsuper AND r.rolname NOT IN ('carillon_eraser', 'carillon_operator')
        AND has_function_privilege(r.oid, p.oid, 'EXECUTE')
      """
    ),
    (
      "functions and tables are closed to PUBLIC",
      """
      SELECT p.proname::text FROM pg_proc AS p
      WHERE p.pronamespace = 'carillon'::regnamespace AND (
        p.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(p.proacl) AS a WHERE a.grantee = 0))
      UNION ALL
      SELECT t.name FROM tables AS t JOIN pg_class AS c ON c.oid = t.oid
      WHERE EXISTS (SELECT FROM aclexplode(c.relacl) AS a WHERE a.grantee = 0)
      """
    ),
    (
      "a function of one device takes p_tenant and p_device first",
      """
      SELECT p.proname::text FROM pg_proc AS p
      WHERE p.pronamespace = 'carillon'::regnamespace AND p.proname NOT IN ('key_lookup', 'signing_key_lookup', 'next_tenant')
        -- What goes through a whole tenant, as an operator does.
        AND p.proname NOT IN (
          'enter_tenant', 'erase_audit', 'tenant_tables', 'delete_tenant_rows', 'count_tenant_rows', 'export_rows',
          'inbox_part', 'export_inbox_items', 'import_rows')
        AND p.proargnames[1:2] IS DISTINCT FROM ARRAY['p_tenant', 'p_device']
      """
    ),
    (
      // Field case 40 A: there is no view that could show all tenants.
      "no view and no materialized view",
      """
      SELECT relname::text FROM pg_class
      WHERE relnamespace = 'carillon'::regnamespace AND relkind IN ('v', 'm')
      """
    ),
    (
      "no index holds a column that a steady sync changes",
      """
      SELECT i.indexrelid::regclass::text FROM pg_index AS i
      JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[])
      WHERE i.indrelid = 'carillon.device_syncs'::regclass AND a.attname NOT IN ('tenant_id', 'device_id')
      """
    ),
  ]

  @Test(arguments: rules.indices) func aRuleHolds(_ index: Int) async throws {
    let (rule, breaks) = Self.rules[index]
    try await withStore { world async throws in
      #expect(try await world.texts("WITH \(Self.tables) \(breaks)") == [], "\(rule)")
    }
  }

  /// The list above finds nothing: is it looking at anything?
  @Test func theCatalogueIsSeen() async throws {
    try await withStore { world in
      let names = try await world.texts("WITH \(Self.tables) SELECT name FROM tables ORDER BY name")
      #expect(
        names == [
          "api_keys", "audit_log", "deliveries", "device_changes", "device_events", "device_evictions",
          "device_idempotency_keys", "device_priming", "device_syncs", "device_truths", "devices",
          "identity_claims", "inbox_items", "notifications",
          "plans",
          "policies", "priming_steps", "report_counts", "report_days", "signing_keys",
          "tenant_idempotency_keys", "tenants",
        ])
      #expect(
        try await world.texts(
          "WITH \(Self.tables) SELECT name FROM tables WHERE has_device ORDER BY name")
          == [
            "deliveries", "device_changes", "device_events", "device_evictions",
            "device_idempotency_keys", "device_priming", "device_syncs", "device_truths", "devices",
            "notifications", "plans", "priming_steps",
          ])
    }
  }

  @Test func theServersRoleGivesUpInTime() async throws {
    try await withStore { world in
      let settings = try await world.texts(
        """
        SELECT unnest(s.setconfig) FROM pg_db_role_setting AS s
        WHERE s.setrole = 'carillon_app'::regrole ORDER BY 1
        """)
      #expect(
        settings.map { $0.split(separator: "=")[0] } == [
          "idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout",
        ])
    }
  }
}
