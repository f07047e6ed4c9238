-- name: api_keys_lookup
SELECT
  r_tenant_id, r_name, r_status, r_policy_version, r_key_id, r_secret_hash, r_scopes, r_created_at, r_expires_at,
  r_revoked_at
FROM carillon.key_lookup($1);

-- name: api_keys_insert
INSERT INTO carillon.api_keys (tenant_id, key_id, secret_hash, scopes, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING
RETURNING key_id;

-- name: api_keys_list
SELECT
  t.tenant_id, t.name, t.status, t.policy_version, k.key_id, k.secret_hash, k.scopes, k.created_at, k.expires_at,
  k.revoked_at
FROM carillon.api_keys AS k
JOIN carillon.tenants AS t ON t.tenant_id = k.tenant_id
WHERE k.tenant_id = $1
ORDER BY k.created_at, k.key_id;

-- name: api_keys_revoke
-- The first revocation's time stands.
UPDATE carillon.api_keys
SET revoked_at = coalesce(revoked_at, $3)
WHERE tenant_id = $1 AND key_id = $2
RETURNING key_id;
