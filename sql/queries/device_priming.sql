-- name: device_priming_get
SELECT
  primer_shown_at, accepted_at, postponed_at, postpones, screen_answer, dialog_shown_at, system_answer,
  system_answered_at, taps, tapped_at
FROM carillon.device_priming
WHERE tenant_id = $1 AND device_id = $2;

-- name: device_priming_answer
SELECT carillon.answer_priming($1, $2, $3, $4, $5);

-- name: device_priming_answer_once
-- The same, with the answer kept for the request that comes again.
WITH priming AS MATERIALIZED (
  SELECT carillon.answer_priming($1, $2, $3, $4, $5) AS is_kept
)
SELECT
  priming.is_kept,
  CASE
    WHEN priming.is_kept THEN carillon.keep_answer($1, $2, $6, $7, $8, $9, $10, $11, $12, $13, $14)::text
  END
FROM priming;

-- name: device_priming_steps
-- Newest first.
SELECT at, action, context, step, reason
FROM carillon.priming_steps
WHERE tenant_id = $1 AND device_id = $2
ORDER BY step_number DESC
LIMIT $3;
