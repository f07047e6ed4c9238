-- name: device_events_known
-- Which of these events the device has told before.
SELECT event_id
FROM carillon.device_events
WHERE tenant_id = $1 AND device_id = $2 AND event_id = ANY ($3);
