-- name: audit_log_insert
-- A tenant of zeros is the installation itself.
INSERT INTO carillon.audit_log (tenant_id, at, entry_id, actor_kind, actor, login, action, subject, details)
VALUES ($1, $2, $3, $4, $5, CASE WHEN $4 = 'operator' THEN session_user::text END, $6, $7, $8);

-- name: audit_log_device
-- As audit_log_insert, if there is such a device; it is not named.
INSERT INTO carillon.audit_log (tenant_id, at, entry_id, actor_kind, actor, login, action, subject, details)
SELECT $1, $3, $4, $5, $6, CASE WHEN $5 = 'operator' THEN session_user::text END, $7, NULL, $8
FROM carillon.devices AS d
WHERE d.tenant_id = $1 AND d.device_id = $2
ON CONFLICT DO NOTHING;

-- name: audit_log_page
-- Newest first, by keyset; $1 null: of all tenants and of the installation.
SELECT
  a.tenant_id, t.name, a.entry_id, a.at, a.actor_kind, a.actor, a.login, a.action, a.subject, a.details
FROM carillon.audit_log AS a
LEFT JOIN carillon.tenants AS t ON t.tenant_id = a.tenant_id
WHERE ($1::uuid IS NULL OR a.tenant_id = $1) AND ($2::text IS NULL OR a.action = $2 OR a.action LIKE $2 || '.%')
  AND ($3::timestamptz IS NULL OR a.at >= $3) AND ($4::timestamptz IS NULL OR a.at < $4)
  AND ($5::timestamptz IS NULL OR (a.at, a.entry_id) < ($5, $6))
ORDER BY a.at DESC, a.entry_id DESC
LIMIT $7;
