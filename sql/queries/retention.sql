-- name: retention_tenant
SELECT carillon.next_tenant($1);

-- name: retention_devices
-- Of the devices from $2 to before $3 (null: to the last) those that keep something for too long.
SELECT d.device_id
FROM carillon.devices AS d
WHERE d.tenant_id = $1 AND d.device_id >= $2 AND ($3::uuid IS NULL OR d.device_id < $3)
  AND (
    EXISTS (
      SELECT FROM carillon.deliveries AS v
      WHERE v.tenant_id = $1 AND v.device_id = d.device_id AND v.due_at < $5
    )
    OR EXISTS (
      SELECT FROM carillon.device_events AS e
      WHERE e.tenant_id = $1 AND e.device_id = d.device_id AND e.received_at < $4
    )
    OR EXISTS (
      SELECT FROM carillon.device_evictions AS n
      WHERE n.tenant_id = $1 AND n.device_id = d.device_id AND n.day < DATE '1970-01-01' + $6::int4
    )
  )
ORDER BY d.device_id;

-- name: retention_device
SELECT r_events, r_deliveries, r_evictions
FROM carillon.purge_device($1, $2, $3, $4, DATE '1970-01-01' + $5::int4);

-- name: retention_inbox_bound
-- The inbox that stands $3 items behind the inbox $2; no row: there are not so many.
SELECT i.inbox_id
FROM carillon.inbox_items AS i
WHERE i.tenant_id = $1 AND i.inbox_id > $2
ORDER BY i.inbox_id
OFFSET $3
LIMIT 1;

-- name: retention_inboxes
-- Of the inboxes from $2 to before $3 (null: to the last) those that hold what came due by $4.
SELECT DISTINCT i.inbox_id
FROM carillon.inbox_items AS i
WHERE i.tenant_id = $1 AND i.inbox_id >= $2 AND ($3::uuid IS NULL OR i.inbox_id < $3) AND i.at <= $4
ORDER BY i.inbox_id;

-- name: retention_inbox
DELETE FROM carillon.inbox_items
WHERE tenant_id = $1 AND inbox_id = $2 AND at <= $3;

-- name: retention_policies
-- All but the newest $2 versions.
DELETE FROM carillon.policies AS p
USING carillon.tenants AS t
WHERE t.tenant_id = $1 AND p.tenant_id = $1 AND p.version <= t.policy_version - $2::int4;

-- name: retention_report_counts
-- Some of those of days before $2, $3 at most.
DELETE FROM carillon.report_counts AS c
WHERE c.tenant_id = $1 AND (c.counted, c.day, c.type, c.cohort) IN (
  SELECT o.counted, o.day, o.type, o.cohort
  FROM carillon.report_counts AS o
  WHERE o.tenant_id = $1 AND o.day < DATE '1970-01-01' + $2::int4
  LIMIT $3
);
