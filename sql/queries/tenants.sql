-- name: tenants_insert
INSERT INTO carillon.tenants (tenant_id, name, created_at)
VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
RETURNING tenant_id;

-- name: tenants_inbox
SELECT inbox_days, inbox_items
FROM carillon.tenants
WHERE tenant_id = $1;

-- name: tenants_inbox_set
-- A null stays as it was.
UPDATE carillon.tenants
SET inbox_days = coalesce($2, inbox_days), inbox_items = coalesce($3, inbox_items)
WHERE tenant_id = $1
RETURNING inbox_days, inbox_items;

-- name: tenants_list
SELECT tenant_id, name, status, policy_version, created_at
FROM carillon.tenants
ORDER BY name;

-- name: tenants_by_name
SELECT tenant_id, name, status, policy_version, created_at
FROM carillon.tenants
WHERE name = $1;
