-- name: report_days_open
-- The days from the tenant's first one on, $2 at the earliest, get their rows; days count from 1970-01-01.
INSERT INTO carillon.report_days (tenant_id, day)
SELECT $1, DATE '1970-01-01' + s.day
FROM generate_series(
  greatest(
    $2::int4,
    (
      SELECT (t.created_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01'
      FROM carillon.tenants AS t
      WHERE t.tenant_id = $1
    )
  ), $3::int4
) AS s (day)
ON CONFLICT DO NOTHING;

-- name: report_days_add
INSERT INTO carillon.report_days (tenant_id, day)
VALUES ($1, DATE '1970-01-01' + $2::int4)
ON CONFLICT DO NOTHING;

-- name: report_days_claim
-- Takes the earliest day that is due, or the day $6, unless somebody holds it: $2 may count it until $3. What came due
-- on a day may be known only days later, so it is counted again when it is 2, 4 and 8 days old, and then stands.
UPDATE carillon.report_days AS r
SET holder = $2, held_until = $3
WHERE r.tenant_id = $1 AND r.day = (
  SELECT d.day
  FROM carillon.report_days AS d
  WHERE d.tenant_id = $1
    AND (d.held_until IS NULL OR d.held_until <= $4)
    AND CASE
      WHEN $6::int4 IS NOT NULL THEN d.day = DATE '1970-01-01' + $6
      ELSE d.day < DATE '1970-01-01' + $5 AND d.age < CASE
          WHEN DATE '1970-01-01' + $5::int4 - d.day >= 8 THEN 8
          WHEN DATE '1970-01-01' + $5 - d.day >= 4 THEN 4
          WHEN DATE '1970-01-01' + $5 - d.day >= 2 THEN 2
          ELSE 1
        END
-- By then devices may have forgotten some of it.
        AND (d.age = 0 OR DATE '1970-01-01' + $5 - d.day <= 30)
    END
  ORDER BY d.day
  LIMIT 1
  FOR UPDATE SKIP LOCKED
)
RETURNING r.day - DATE '1970-01-01';

-- name: report_days_keep
-- Whether $3 still holds the day; then for longer.
UPDATE carillon.report_days
SET held_until = $4
WHERE tenant_id = $1 AND day = DATE '1970-01-01' + $2::int4 AND holder = $3
RETURNING age;

-- name: report_days_finish
-- The last of the statements that publish a day; whether $3 held it till now.
UPDATE carillon.report_days
SET rolled_up_at = $4, age = $5, holder = NULL, held_until = NULL
WHERE tenant_id = $1 AND day = DATE '1970-01-01' + $2::int4 AND holder = $3
RETURNING age;

-- name: report_days_release
UPDATE carillon.report_days
SET holder = NULL, held_until = NULL
WHERE tenant_id = $1 AND day = DATE '1970-01-01' + $2::int4 AND holder = $3;

-- name: report_days_held
-- How many days others hold.
SELECT count(*)
FROM carillon.report_days
WHERE tenant_id = $1 AND held_until > $2;

-- name: report_days_newest
-- Before the day $2: later ones were counted by a clock that was ahead.
SELECT max(day) - DATE '1970-01-01'
FROM carillon.report_days
WHERE tenant_id = $1 AND age > 0 AND day < DATE '1970-01-01' + $2::int4;

-- name: report_days_forget
DELETE FROM carillon.report_days
WHERE tenant_id = $1 AND day < DATE '1970-01-01' + $2::int4;
