-- name: device_truths_get
SELECT
  looked_at, waiting, vanished, applied_plan_version, tallies, tallied_at, was_noticeable, fatigued_at,
  drift_dropped, drift_unplanned, drift_altered, drift_at, looked_version, delivered
FROM carillon.device_truths
WHERE tenant_id = $1 AND device_id = $2;
