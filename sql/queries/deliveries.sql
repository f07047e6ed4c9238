-- name: deliveries_mentioned
-- What a report may settle: whatever is open, and the occurrences of what it speaks of.
SELECT
  notification_id, wished_at, request_id, type, due_at, outcome, reason, noted_at, settled_at, tapped_at,
  dismissed_at, reach, unmet_needs, revision, plan_version, repeats, user_id,
  last_plan_version
FROM carillon.deliveries
WHERE tenant_id = $1 AND device_id = $2 AND (
  outcome = 'open' OR notification_id = ANY ($3) OR request_id <> notification_id AND request_id = ANY ($3)
)
ORDER BY due_at, notification_id, wished_at;

-- name: deliveries_page
-- Newest first, by keyset. Without $7, nobody's and those of the user that is there.
SELECT
  notification_id, wished_at, request_id, type, due_at, outcome, reason, noted_at, settled_at, tapped_at,
  dismissed_at, reach, unmet_needs, revision, plan_version, repeats, user_id,
  last_plan_version
FROM carillon.deliveries
WHERE tenant_id = $1 AND device_id = $2 AND (due_at, notification_id, wished_at) < ($3, $4, $5)
  AND ($7 OR user_id IS NULL OR user_id = (
    SELECT nullif(d.user_id, '') FROM carillon.devices AS d WHERE d.tenant_id = $1 AND d.device_id = $2
  ))
ORDER BY due_at DESC, notification_id DESC, wished_at DESC
LIMIT $6;
