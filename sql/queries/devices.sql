-- name: devices_get
SELECT
  d.device_id, d.authorization_status, d.settings, d.platform, d.os_version, d.app_version, d.bundle_id,
  d.time_zone, d.first_weekday, d.minimum_days_in_first_week, d.locale, d.device_key, d.user_id, d.cohort,
  d.push_token, d.push_environment, d.background_refresh, d.created_at, d.updated_at, s.sequence, s.seen_at,
  s.row_version, s.plan_version, d.pending, d.foreign_count, d.foreign_regions, d.forked_from, d.superseded_by,
  d.superseded_at, s.inbox_version
FROM carillon.devices AS d
JOIN carillon.device_syncs AS s ON s.tenant_id = d.tenant_id AND s.device_id = d.device_id
WHERE d.tenant_id = $1 AND d.device_id = $2;

-- name: devices_snapshot
-- All that is known of a device but its queue, its inbox and what came due, with nulls for what there is not. The columns
-- of devices_get, plans_summary, device_priming_get and device_truths_get.
SELECT
  d.device_id, d.authorization_status, d.settings, d.platform, d.os_version, d.app_version, d.bundle_id,
  d.time_zone, d.first_weekday, d.minimum_days_in_first_week, d.locale, d.device_key, d.user_id, d.cohort,
  d.push_token, d.push_environment, d.background_refresh, d.created_at, d.updated_at, s.sequence, s.seen_at,
  s.row_version, s.plan_version, d.pending, d.foreign_count, d.foreign_regions, d.forked_from, d.superseded_by,
  d.superseded_at, s.inbox_version,
  p.version, p.policy_version, p.zone_data, p.digest, p.sent, s.valid_until, p.deliveries, p.next_fire_at,
  p.document, p.computed_at,
  i.primer_shown_at, i.accepted_at, i.postponed_at, i.postpones, i.screen_answer, i.dialog_shown_at,
  i.system_answer, i.system_answered_at, i.taps, i.tapped_at,
  r.looked_at, r.waiting, r.vanished, r.applied_plan_version, r.tallies, r.tallied_at, r.was_noticeable,
  r.fatigued_at, r.drift_dropped, r.drift_unplanned, r.drift_altered, r.drift_at, r.looked_version, r.delivered
FROM carillon.devices AS d
JOIN carillon.device_syncs AS s ON s.tenant_id = d.tenant_id AND s.device_id = d.device_id
LEFT JOIN carillon.plans AS p ON p.tenant_id = d.tenant_id AND p.device_id = d.device_id
LEFT JOIN carillon.device_priming AS i ON i.tenant_id = d.tenant_id AND i.device_id = d.device_id
LEFT JOIN carillon.device_truths AS r ON r.tenant_id = d.tenant_id AND r.device_id = d.device_id
WHERE d.tenant_id = $1 AND d.device_id = $2;

-- name: devices_page
-- By keyset; for people and support, never part of a device's request.
SELECT
  d.device_id, d.authorization_status, d.settings, d.platform, d.os_version, d.app_version, d.bundle_id,
  d.time_zone, d.first_weekday, d.minimum_days_in_first_week, d.locale, d.device_key, d.user_id, d.cohort,
  d.push_token, d.push_environment, d.background_refresh, d.created_at, d.updated_at, s.sequence, s.seen_at,
  s.row_version, s.plan_version, d.pending, d.foreign_count, d.foreign_regions, d.forked_from, d.superseded_by,
  d.superseded_at, s.inbox_version
FROM (
  SELECT *
  FROM carillon.devices
  WHERE tenant_id = $1 AND device_id >= $2
  ORDER BY device_id
  LIMIT $3
) AS d
-- One by one: however many a plan that is kept expects, it must not read all of them.
CROSS JOIN LATERAL (
  SELECT * FROM carillon.device_syncs WHERE tenant_id = $1 AND device_id = d.device_id LIMIT 1
) AS s
ORDER BY d.device_id;

-- name: devices_of_user
-- Those that live: an installation that a newer one on its phone has followed is no more.
SELECT device_id
FROM carillon.devices
WHERE tenant_id = $1 AND user_id = $2 AND superseded_at IS NULL
ORDER BY device_id
LIMIT $3;

-- name: devices_sharing
-- The devices that show the same inbox.
SELECT d.device_id
FROM carillon.devices AS d
WHERE d.tenant_id = $1 AND d.user_id = (
  SELECT own.user_id FROM carillon.devices AS own WHERE own.tenant_id = $1 AND own.device_id = $2
)
ORDER BY d.device_id
LIMIT $3;

-- name: devices_lock
-- Every writer of a device takes this row first; erasing does too, so that they wait and do not deadlock.
SELECT row_version
FROM carillon.device_syncs
WHERE tenant_id = $1 AND device_id = $2
FOR UPDATE;

-- name: devices_erase
-- All that hangs on the device goes with it, by its foreign keys.
DELETE FROM carillon.devices
WHERE tenant_id = $1 AND device_id = $2;

-- name: devices_erase_once
-- The same, with its answer kept where it outlives the device; fails when the key is in use.
WITH gone AS (
  DELETE FROM carillon.devices
  WHERE tenant_id = $1 AND device_id = $2
  RETURNING device_id
), kept AS (
  INSERT INTO carillon.tenant_idempotency_keys AS k (
    tenant_id, principal, key, fingerprint, status, entity_tag, body, answered_at
  )
  SELECT $1, $3, $4, $5, $6, $7, $8, $9
  FROM gone
  ON CONFLICT (tenant_id, principal, key) DO UPDATE SET
    fingerprint = excluded.fingerprint, status = excluded.status, entity_tag = excluded.entity_tag,
    body = excluded.body,
    answered_at = CASE WHEN k.answered_at <= $10 THEN excluded.answered_at ELSE 'infinity' END
)
SELECT gone.device_id FROM gone;

-- name: devices_count
SELECT count(*)
FROM carillon.devices
WHERE tenant_id = $1;

-- name: devices_ids
-- By keyset, for what goes through all devices of a tenant.
SELECT device_id
FROM carillon.devices
WHERE tenant_id = $1 AND device_id >= $2
ORDER BY device_id
LIMIT $3;

-- name: devices_sample
-- By a hash of the id: the same devices each time, and no matter how ids are made (some are in order of time) spread
-- over all of them. Reads the key's index alone, but all of the tenant's part of it.
SELECT device_id
FROM carillon.devices
WHERE tenant_id = $1
ORDER BY uuid_hash_extended(device_id, 0), device_id
LIMIT $2;
