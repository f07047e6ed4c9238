-- name: signing_keys_lookup
SELECT r_tenant_id, r_key_id, r_sealed_secret, r_master_key, r_created_at, r_retires_at, r_status
FROM carillon.signing_key_lookup($1);

-- name: signing_keys_current
SELECT tenant_id, key_id, sealed_secret, master_key, created_at, retires_at
FROM carillon.signing_keys
WHERE tenant_id = $1 AND retires_at IS NULL;

-- name: signing_keys_insert
-- Does nothing where somebody else has made one meanwhile.
INSERT INTO carillon.signing_keys (tenant_id, key_id, sealed_secret, master_key, created_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING;

-- name: signing_keys_list
SELECT tenant_id, key_id, sealed_secret, master_key, created_at, retires_at
FROM carillon.signing_keys
WHERE tenant_id = $1
ORDER BY created_at, key_id;

-- name: signing_keys_all
SELECT tenant_id, key_id, sealed_secret, master_key, created_at, retires_at
FROM carillon.signing_keys
ORDER BY tenant_id, key_id;

-- name: signing_keys_retire
-- At $2, or before, if that was said before.
UPDATE carillon.signing_keys
SET retires_at = least(retires_at, $2)
WHERE tenant_id = $1
RETURNING tenant_id, key_id, sealed_secret, master_key, created_at, retires_at;

-- name: signing_keys_forget
DELETE FROM carillon.signing_keys
WHERE tenant_id = $1 AND retires_at < $2;

-- name: signing_keys_reseal
-- If it still is sealed under the master key that it was read with.
UPDATE carillon.signing_keys
SET sealed_secret = $4, master_key = $5
WHERE tenant_id = $1 AND key_id = $2 AND master_key = $3
RETURNING key_id;
