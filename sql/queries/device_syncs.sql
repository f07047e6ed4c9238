-- name: device_syncs_confirm
-- A report without news: the one statement of a steady sync. No index holds a column it changes. What was answered at a
-- time that is still to come (but for servers' clocks that differ) was answered by a clock that was wrong, and said too
-- little.
UPDATE carillon.device_syncs AS s
SET sequence = $3, seen_at = $5
FROM carillon.tenants AS t
WHERE s.tenant_id = $1 AND s.device_id = $2
  AND s.sequence < $3 AND s.report_digest = $4 AND s.valid_until > $5
  AND s.seen_at < $5 + interval '1 minute'
  AND t.tenant_id = $1 AND t.policy_version = s.policy_version
RETURNING s.plan_version, s.steady_answer;

-- name: device_syncs_confirm_user
-- As device_syncs_confirm, while the device is that of the user $6; empty: nobody's.
UPDATE carillon.device_syncs AS s
SET sequence = $3, seen_at = $5
FROM carillon.tenants AS t
WHERE s.tenant_id = $1 AND s.device_id = $2
  AND s.sequence < $3 AND s.report_digest = $4 AND s.valid_until > $5
  AND s.seen_at < $5 + interval '1 minute'
  AND t.tenant_id = $1 AND t.policy_version = s.policy_version
  AND EXISTS (
    SELECT FROM carillon.devices AS d
    WHERE d.tenant_id = $1 AND d.device_id = $2 AND coalesce(d.user_id, '') = $6
  )
RETURNING s.plan_version, s.steady_answer;

-- name: device_syncs_unchanged
-- A row while a device that was made at $6 and its inbox are as they were at $3 and $4, under the policy $5: all of a
-- plan that is known.
SELECT s.plan_version
FROM carillon.device_syncs AS s
WHERE s.tenant_id = $1 AND s.device_id = $2 AND s.row_version = $3 AND s.inbox_version = $4 AND s.created_at = $6
  AND EXISTS (SELECT FROM carillon.tenants AS t WHERE t.tenant_id = $1 AND t.policy_version = $5);

-- name: device_syncs_unchanged_user
-- As device_syncs_unchanged, while the device is that of the user $7; empty: nobody's.
SELECT s.plan_version
FROM carillon.device_syncs AS s
JOIN carillon.devices AS d ON d.tenant_id = s.tenant_id AND d.device_id = s.device_id
WHERE s.tenant_id = $1 AND s.device_id = $2 AND s.row_version = $3 AND s.inbox_version = $4 AND s.created_at = $6
  AND coalesce(d.user_id, '') = $7
  AND EXISTS (SELECT FROM carillon.tenants AS t WHERE t.tenant_id = $1 AND t.policy_version = $5);

-- name: device_syncs_apply
SELECT carillon.apply_sync(
  $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
  $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37
);

-- name: device_syncs_touch
-- Something elsewhere changed the inbox the device shows: the next report is read whole, also when one is being
-- answered now.
UPDATE carillon.device_syncs
SET inbox_version = inbox_version + 1, report_digest = NULL
WHERE tenant_id = $1 AND device_id = $2;

-- name: device_syncs_apply_once
-- As device_syncs_apply, with its answer kept; $38 is the device that was asked.
WITH sync AS MATERIALIZED (
  SELECT carillon.apply_sync(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
    $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37
  ) AS word
)
SELECT
  sync.word,
  CASE
    WHEN sync.word = 'applied' THEN
      carillon.keep_answer($1, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47)::text
  END
FROM sync;
