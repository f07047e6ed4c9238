-- name: device_idempotency_keys_find
-- The answer that one device's own key has.
SELECT fingerprint, status, entity_tag, body
FROM carillon.device_idempotency_keys
WHERE tenant_id = $1 AND device_id = $2 AND principal = $3 AND key = $4 AND answered_at > $5;

-- name: device_idempotency_keys_search
-- The same of a tenant's key, whatever it was about; one of another request first. Never part of a device's own
-- requests.
SELECT k.fingerprint, k.status, k.entity_tag, k.body
FROM (
  SELECT fingerprint, status, entity_tag, body
  FROM carillon.device_idempotency_keys
  WHERE tenant_id = $1 AND principal = $2 AND key = $3 AND answered_at > $4
  UNION ALL
  SELECT fingerprint, status, entity_tag, body
  FROM carillon.tenant_idempotency_keys
  WHERE tenant_id = $1 AND principal = $2 AND key = $3 AND answered_at > $4
) AS k
ORDER BY k.fingerprint = $5
LIMIT 1;

-- name: device_idempotency_keys_keep
-- The answer to a request without an effect; of one with an effect it stands in the effect's own statement.
SELECT carillon.keep_answer($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- name: device_idempotency_keys_purge
DELETE FROM carillon.device_idempotency_keys
WHERE tenant_id = $1 AND (device_id, principal, key) IN (
  SELECT device_id, principal, key
  FROM carillon.device_idempotency_keys
  WHERE tenant_id = $1 AND answered_at <= $2
  ORDER BY answered_at
  LIMIT $3
);
