-- name: device_changes_page
-- Newest first, by keyset. Without $5, another user's ids are left out, and so is what then tells nothing.
SELECT
  c.change_number, c.changed_at, c.sequence, c.sent_at, c.app_version, c.authorization_status, c.fatigue, c.changes,
  CASE WHEN v.shows THEN c.puts ELSE '{}' END, CASE WHEN v.shows THEN c.cancels ELSE '{}' END,
  CASE WHEN v.shows THEN c.more_edits ELSE 0 END
FROM carillon.device_changes AS c
CROSS JOIN LATERAL (
  SELECT $5 OR c.user_id IS NULL OR c.user_id = (
    SELECT nullif(d.user_id, '') FROM carillon.devices AS d WHERE d.tenant_id = $1 AND d.device_id = $2
  ) IS TRUE AS shows
) AS v
WHERE c.tenant_id = $1 AND c.device_id = $2 AND c.change_number < $3
  AND (v.shows OR c.changes <> '{}' OR c.fatigue IS NOT NULL)
ORDER BY c.change_number DESC
LIMIT $4;
