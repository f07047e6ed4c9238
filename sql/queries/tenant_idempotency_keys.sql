-- name: tenant_idempotency_keys_keep
-- Fails when the key is in use.
INSERT INTO carillon.tenant_idempotency_keys AS k (
  tenant_id, principal, key, fingerprint, status, entity_tag, body, answered_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (tenant_id, principal, key) DO UPDATE SET
  fingerprint = excluded.fingerprint, status = excluded.status, entity_tag = excluded.entity_tag,
  body = excluded.body,
  answered_at = CASE WHEN k.answered_at <= $9 THEN excluded.answered_at ELSE 'infinity' END;

-- name: tenant_idempotency_keys_trim
-- Of more keys than $2 the oldest go.
DELETE FROM carillon.tenant_idempotency_keys
WHERE tenant_id = $1 AND (principal, key) IN (
  SELECT principal, key
  FROM carillon.tenant_idempotency_keys
  WHERE tenant_id = $1
  ORDER BY answered_at DESC, principal, key
  OFFSET $2
);

-- name: tenant_idempotency_keys_purge
DELETE FROM carillon.tenant_idempotency_keys
WHERE tenant_id = $1 AND (principal, key) IN (
  SELECT principal, key
  FROM carillon.tenant_idempotency_keys
  WHERE tenant_id = $1 AND answered_at <= $2
  ORDER BY answered_at
  LIMIT $3
);
