-- name: policies_current
SELECT p.version, p.document, p.created_at
FROM carillon.tenants AS t
JOIN carillon.policies AS p ON p.tenant_id = t.tenant_id AND p.version = t.policy_version
WHERE t.tenant_id = $1;

-- name: policies_unless_known
-- The current version, and its document unless the caller knows that version ($2, -1 for none).
SELECT t.policy_version, p.document, t.retention_at
FROM carillon.tenants AS t
LEFT JOIN carillon.policies AS p
  ON p.tenant_id = t.tenant_id AND p.version = t.policy_version AND p.version <> $2
WHERE t.tenant_id = $1;

-- name: policies_version
SELECT version, document, created_at
FROM carillon.policies
WHERE tenant_id = $1 AND version = $2;

-- name: policies_history
SELECT version, created_at, octet_length(document)
FROM carillon.policies
WHERE tenant_id = $1 AND version < $2
ORDER BY version DESC
LIMIT $3;

-- name: policies_put
-- The tenant's row is the lock: of two writers who saw the same version, one finds another. Who put it, $7, is kept
-- along; null: nobody is.
WITH moved AS (
  UPDATE carillon.tenants
  SET policy_version = policy_version + 1
  WHERE tenant_id = $1 AND policy_version = $2
  RETURNING policy_version
), noted AS (
  INSERT INTO carillon.audit_log (tenant_id, at, entry_id, actor_kind, actor, login, action, subject, details)
  SELECT
    $1, $4, $5, $6, $7, CASE WHEN $6 = 'operator' THEN session_user::text END, 'policy.put',
    moved.policy_version::text, '{}'
  FROM moved
  WHERE $7 IS NOT NULL
  ON CONFLICT DO NOTHING
)
INSERT INTO carillon.policies (tenant_id, version, document, created_at)
SELECT $1, moved.policy_version, $3, $4
FROM moved
ON CONFLICT DO NOTHING
RETURNING version;

-- name: policies_put_once
-- The same, with its answer kept; fails when the key is in use.
WITH moved AS (
  UPDATE carillon.tenants
  SET policy_version = policy_version + 1
  WHERE tenant_id = $1 AND policy_version = $2
  RETURNING policy_version
), noted AS (
  INSERT INTO carillon.audit_log (tenant_id, at, entry_id, actor_kind, actor, login, action, subject, details)
  SELECT
    $1, $4, $5, $6, $7, CASE WHEN $6 = 'operator' THEN session_user::text END, 'policy.put',
    moved.policy_version::text, '{}'
  FROM moved
  WHERE $7 IS NOT NULL
  ON CONFLICT DO NOTHING
), put AS (
  INSERT INTO carillon.policies (tenant_id, version, document, created_at)
  SELECT $1, moved.policy_version, $3, $4
  FROM moved
  ON CONFLICT DO NOTHING
  RETURNING version
), kept AS (
  INSERT INTO carillon.tenant_idempotency_keys AS k (
    tenant_id, principal, key, fingerprint, status, entity_tag, body, answered_at
  )
  SELECT $1, $8, $9, $10, $11, $12, $13, $14
  FROM put
  ON CONFLICT (tenant_id, principal, key) DO UPDATE SET
    fingerprint = excluded.fingerprint, status = excluded.status, entity_tag = excluded.entity_tag,
    body = excluded.body,
    answered_at = CASE WHEN k.answered_at <= $15 THEN excluded.answered_at ELSE 'infinity' END
)
SELECT put.version FROM put;

-- name: policies_current_version
SELECT policy_version
FROM carillon.tenants
WHERE tenant_id = $1;
