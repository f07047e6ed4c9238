-- name: report_counts_page
SELECT day - DATE '1970-01-01', type, cohort, counts
FROM carillon.report_counts
WHERE tenant_id = $1 AND counted = $2
  AND day BETWEEN DATE '1970-01-01' + $3::int4 AND DATE '1970-01-01' + $4::int4
  AND ($5::text IS NULL OR type = $5) AND ($6::text IS NULL OR cohort = $6)
ORDER BY day, type, cohort
LIMIT $7;

-- name: report_counts_clear
-- Before a day is published again; locks it for the transaction. Nothing when $3 does not hold it.
WITH held AS (
  UPDATE carillon.report_days AS r
  SET holder = r.holder
  WHERE r.tenant_id = $1 AND r.day = DATE '1970-01-01' + $2::int4 AND r.holder = $3
  RETURNING r.day
)
DELETE FROM carillon.report_counts AS c
USING held
WHERE c.tenant_id = $1 AND c.day = held.day;

-- name: report_counts_add
INSERT INTO carillon.report_counts (tenant_id, counted, day, type, cohort, counts)
SELECT $1, c.counted, r.day, c.type, c.cohort, c.counts
FROM carillon.report_days AS r
CROSS JOIN jsonb_to_recordset($4) AS c (counted text, type text, cohort text, counts bigint[])
WHERE r.tenant_id = $1 AND r.day = DATE '1970-01-01' + $2::int4 AND r.holder = $3
ON CONFLICT DO NOTHING;

-- name: report_counts_forget
DELETE FROM carillon.report_counts
WHERE tenant_id = $1 AND day < DATE '1970-01-01' + $2::int4;

-- name: report_counts_bound
-- Where the devices after the first $3 from $2 on begin; no row: there are no more.
SELECT d.device_id
FROM carillon.devices AS d
WHERE d.tenant_id = $1 AND d.device_id >= $2
ORDER BY d.device_id
OFFSET $3
LIMIT 1;

-- name: report_counts_part
-- What the devices from $2 to before $3 (null: to the last) have to say of the day from $4 to before $5, which is the
-- day $6: each device as it was at the day's end, by its history. A few rows, whatever the number of devices.
WITH history AS MATERIALIZED (
  SELECT
    c.device_id,
    (array_agg(c.authorization_status ORDER BY c.change_number DESC) FILTER (WHERE c.changed_at < $5))[1] AS status,
    (array_agg(c.app_version ORDER BY c.change_number DESC) FILTER (WHERE c.changed_at < $5))[1] AS app_version,
    (array_agg(c.fatigue ORDER BY c.change_number DESC)
      FILTER (WHERE c.changed_at < $5 AND c.fatigue IS NOT NULL))[1] AS fatigue,
-- Nobody had decided yet.
    min(c.changed_at) FILTER (WHERE c.authorization_status IN ('notDetermined', 'provisional')) AS undecided_at,
    bool_or(c.changes ? 'device.cohort') AS tells_cohort,
-- The newest change of it before the day's end; else what the first one after it replaced.
    (array_agg(
      c.changes #>> CASE WHEN c.changed_at < $5 THEN '{device.cohort,1}' ELSE '{device.cohort,0}' END::text[]
      ORDER BY c.changed_at < $5 DESC,
        CASE WHEN c.changed_at < $5 THEN -c.change_number ELSE c.change_number END
    ) FILTER (WHERE c.changes ? 'device.cohort'))[1] AS cohort
  FROM carillon.device_changes AS c
  WHERE c.tenant_id = $1 AND c.device_id >= $2 AND ($3::uuid IS NULL OR c.device_id < $3)
  GROUP BY c.device_id
),
states AS MATERIALIZED (
  SELECT
    d.device_id, d.created_at, h.undecided_at,
-- Not before it was seen, and not after another installation took its place.
    d.created_at < $5 AND (d.superseded_at IS NULL OR d.superseded_at >= $5) AS is_there,
    coalesce(h.status, 'notDetermined') AS status,
    coalesce(h.fatigue = 'degraded', false) AS is_degraded,
    coalesce(h.app_version, '') AS app_version,
    coalesce(CASE WHEN h.tells_cohort THEN h.cohort ELSE d.cohort END, '') AS cohort,
    to_char(d.created_at AT TIME ZONE 'UTC', 'IYYY"-W"IW') AS install_week
  FROM carillon.devices AS d
  LEFT JOIN history AS h ON h.device_id = d.device_id
  WHERE d.tenant_id = $1 AND d.device_id >= $2 AND ($3::uuid IS NULL OR d.device_id < $3)
),
-- Who took the permission away that day, and the sign before it that still stood then.
departures AS MATERIALIZED (
  SELECT
    c.device_id,
    (
      SELECT CASE f.fatigue WHEN 'degraded' THEN floor(extract(epoch FROM c.changed_at - f.changed_at) / 86400) END
      FROM carillon.device_changes AS f
      WHERE f.tenant_id = $1 AND f.device_id = c.device_id AND f.change_number < c.change_number
        AND f.fatigue IS NOT NULL
      ORDER BY f.change_number DESC
      LIMIT 1
    )::integer AS lead_days
  FROM carillon.device_changes AS c
  WHERE c.tenant_id = $1 AND c.device_id >= $2 AND ($3::uuid IS NULL OR c.device_id < $3)
    AND c.changed_at >= $4 AND c.changed_at < $5
    AND c.changes #>> '{authorizationStatus,1}' = 'denied'
    AND c.changes #>> '{authorizationStatus,0}' IN ('authorized', 'provisional', 'ephemeral')
),
told AS (
  SELECT 'permission' AS counted, '' AS type, s.cohort, m.measure
  FROM states AS s
  CROSS JOIN LATERAL (VALUES
    ('devices'),
    (CASE
      WHEN s.status IN ('notDetermined', 'denied', 'authorized', 'provisional', 'ephemeral') THEN s.status
      ELSE 'unknown'
    END)
  ) AS m (measure)
  WHERE s.is_there
  UNION ALL
  SELECT 'permission', '', s.cohort, m.measure
  FROM states AS s
  JOIN carillon.device_priming AS p ON p.tenant_id = $1 AND p.device_id = s.device_id
  CROSS JOIN LATERAL (VALUES
    ('primed', s.is_there AND p.first_primed_at < $5),
    ('asked', s.is_there AND least(p.dialog_shown_at, p.system_answered_at) < $5),
    ('granted', s.is_there AND p.system_answer = 'granted' AND p.system_answered_at < $5),
    (
      'kept',
      s.is_there AND p.system_answer = 'granted' AND p.system_answered_at < $5
        AND s.status IN ('authorized', 'provisional', 'ephemeral')
    ),
    ('answeredGranted', p.system_answer = 'granted' AND p.system_answered_at >= $4 AND p.system_answered_at < $5),
    ('answeredDenied', p.system_answer = 'denied' AND p.system_answered_at >= $4 AND p.system_answered_at < $5),
    (
      'grantedAfter' || width_bucket(
        extract(epoch FROM p.system_answered_at - s.created_at)::float8,
        ARRAY[60, 300, 3600, 21600, 86400, 259200, 604800, 2592000]::float8[]),
-- Who came with the permission was not won over: only who was seen without it took any time.
      s.undecided_at < p.system_answered_at AND p.system_answer = 'granted' AND p.system_answered_at >= $4
        AND p.system_answered_at < $5
    )
  ) AS m (measure, holds)
  WHERE m.holds
  UNION ALL
  SELECT 'permission', '', s.cohort, p.step
  FROM states AS s
  JOIN carillon.priming_steps AS p ON p.tenant_id = $1 AND p.device_id = s.device_id
  WHERE p.at >= $4 AND p.at < $5
  UNION ALL
  SELECT 'permission', '', s.cohort, e.kind
  FROM states AS s
  JOIN carillon.device_events AS e ON e.tenant_id = $1 AND e.device_id = s.device_id
  WHERE e.received_at >= $4 AND e.received_at < $5
    AND e.kind IN ('primingShown', 'primingAccepted', 'primingPostponed', 'dialogShown')
  UNION ALL
  SELECT 'fatigue', b.type, b.cohort, m.measure
  FROM states AS s
  CROSS JOIN LATERAL (VALUES
    ('cohort', s.cohort), ('appVersion', s.app_version), ('installWeek', s.install_week)
  ) AS b (type, cohort)
  CROSS JOIN LATERAL (VALUES
    ('devices', true), ('degraded', s.is_degraded AND s.status <> 'denied'), ('denied', s.status = 'denied')
  ) AS m (measure, holds)
  WHERE s.is_there AND s.status IN ('denied', 'authorized', 'provisional', 'ephemeral') AND m.holds
  UNION ALL
  SELECT 'fatigue', b.type, b.cohort, m.measure
  FROM departures AS l
  JOIN states AS s ON s.device_id = l.device_id
  CROSS JOIN LATERAL (VALUES
    ('cohort', s.cohort), ('appVersion', s.app_version), ('installWeek', s.install_week)
  ) AS b (type, cohort)
  CROSS JOIN LATERAL (VALUES
    ('left', true), ('leftAfter' || least(l.lead_days, 90), l.lead_days IS NOT NULL)
  ) AS m (measure, holds)
  WHERE m.holds
  UNION ALL
  SELECT 'notifications', v.type, s.cohort, m.measure
  FROM states AS s
  JOIN carillon.deliveries AS v ON v.tenant_id = $1 AND v.device_id = s.device_id
  CROSS JOIN LATERAL (VALUES
    (v.outcome, true), ('unmet', cardinality(v.unmet_needs) > 0),
    ('unmetSound', 'sound' = ANY (v.unmet_needs)), ('unmetAlert', 'alert' = ANY (v.unmet_needs)),
    ('unmetBadge', 'badge' = ANY (v.unmet_needs)), ('unmetLockScreen', 'lockScreen' = ANY (v.unmet_needs)),
    ('tapped', v.tapped_at IS NOT NULL), ('dismissed', v.dismissed_at IS NOT NULL),
    ('lost', v.reason = 'noSlot'), ('lostToLimit', v.reason = 'typeLimit')
  ) AS m (measure, holds)
  WHERE v.due_at >= $4 AND v.due_at < $5 AND m.holds
)
SELECT t.counted, t.type, t.cohort, t.measure, count(*)
FROM told AS t
GROUP BY t.counted, t.type, t.cohort, t.measure
UNION ALL
SELECT 'notifications', e.type, s.cohort, 'evicted', sum(e.evicted)
FROM states AS s
JOIN carillon.device_evictions AS e ON e.tenant_id = $1 AND e.device_id = s.device_id
WHERE e.day = DATE '1970-01-01' + $6::int4
GROUP BY e.type, s.cohort
UNION ALL
SELECT 'notifications', e.type, s.cohort, 'evictedDevices', count(*)
FROM states AS s
JOIN carillon.device_evictions AS e ON e.tenant_id = $1 AND e.device_id = s.device_id
WHERE e.day = DATE '1970-01-01' + $6
GROUP BY e.type, s.cohort;
