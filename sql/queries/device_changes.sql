-- name: device_changes_page
-- Newest first, by keyset.
SELECT
  change_number, changed_at, sequence, sent_at, app_version, authorization_status, fatigue, changes
FROM carillon.device_changes
WHERE tenant_id = $1 AND device_id = $2 AND change_number < $3
ORDER BY change_number DESC
LIMIT $4;
