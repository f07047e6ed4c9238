-- name: tenants_insert
INSERT INTO carillon.tenants (tenant_id, name, created_at)
VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
RETURNING tenant_id;

-- name: tenants_list
SELECT tenant_id, name, status, policy_version, created_at
FROM carillon.tenants
ORDER BY name;

-- name: tenants_by_name
SELECT tenant_id, name, status, policy_version, created_at
FROM carillon.tenants
WHERE name = $1;
