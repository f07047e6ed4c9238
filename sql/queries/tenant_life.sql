-- name: tenant_life_status
-- From one of $3 to $2.
UPDATE carillon.tenants
SET status = $2
WHERE tenant_id = $1 AND status = ANY ($3)
RETURNING tenant_id;

-- name: tenant_life_import
-- A tenant that is not whole yet.
INSERT INTO carillon.tenants (tenant_id, name, status, created_at, retention_at, retention_moved_at)
VALUES ($1, $2, 'importing', $3, $3, $3)
ON CONFLICT DO NOTHING
RETURNING tenant_id;

-- name: tenant_life_rows
SELECT r_table, r_rows
FROM carillon.count_tenant_rows($1);

-- name: tenant_life_step
SELECT r_table, r_rows
FROM carillon.delete_tenant_rows($1, $2);

-- name: tenant_life_audit
SELECT carillon.erase_audit($1, $2);

-- name: tenant_life_end
-- What was written meanwhile goes along, by its foreign keys.
DELETE FROM carillon.tenants
WHERE tenant_id = $1 AND status = 'deleting'
RETURNING tenant_id;

-- name: tenant_life_snapshot
-- The first statement of a transaction that reads a tenant whole: nothing that is written meanwhile is seen.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;

-- name: tenant_life_tables
-- In the order in which rows may be put in, with the types of the columns in the order of their names.
SELECT
  t.r_table, t.r_names,
  ARRAY(
    SELECT a.atttypid::regtype::text
    FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = format('carillon.%I', t.r_table)::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname <> 'tenant_id'
    ORDER BY a.attname
  )
FROM carillon.tenant_tables() AS t
ORDER BY t.r_place DESC;

-- name: tenant_life_export
SELECT r_row, r_key
FROM carillon.export_rows($1, $2, $3, $4);

-- name: tenant_life_export_inbox
SELECT r_row, r_key
FROM carillon.export_inbox_items($1, $2, $3, $4);

-- name: tenant_life_insert
SELECT carillon.import_rows($1, $2, $3);
