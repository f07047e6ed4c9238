-- name: notifications_heads
SELECT notification_id, head, accepted_at, put_version, user_id
FROM carillon.notifications
WHERE tenant_id = $1 AND device_id = $2
ORDER BY notification_id;

-- name: notifications_get
-- Nobody's, or of the user $4; null: of the one that is there.
SELECT n.notification_id, n.head, n.content, n.accepted_at
FROM carillon.notifications AS n
JOIN carillon.devices AS d ON d.tenant_id = n.tenant_id AND d.device_id = n.device_id
WHERE n.tenant_id = $1 AND n.device_id = $2 AND n.notification_id = $3
  AND (n.user_id IS NULL OR n.user_id = coalesce($4, d.user_id));

-- name: notifications_page
-- Nobody's, and those of the user $5; null: of the one that is there.
SELECT n.notification_id, n.head, n.content, n.accepted_at
FROM carillon.notifications AS n
JOIN carillon.devices AS d ON d.tenant_id = n.tenant_id AND d.device_id = n.device_id
WHERE n.tenant_id = $1 AND n.device_id = $2 AND n.notification_id > $3
  AND (n.user_id IS NULL OR n.user_id = coalesce($5, d.user_id))
ORDER BY n.notification_id
LIMIT $4;

-- name: notifications_contents
SELECT notification_id, content
FROM carillon.notifications
WHERE tenant_id = $1 AND device_id = $2 AND notification_id = ANY ($3);

-- name: notifications_change
SELECT carillon.change_queue($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- name: notifications_foresee
-- What carillon.change_queue would answer for a put of the id $3, and the time of acceptance that would stay; null: the
-- put's own. No row: it would be inserted. $6: as p_put_renews.
SELECT
  CASE
    WHEN (n.head, n.content, n.user_id) IS DISTINCT FROM ($4, $5, nullif(d.user_id, '')) OR n.accepted_at <= $6 THEN
      'replaced'
    ELSE 'unchanged'
  END,
  CASE
    WHEN (n.head, n.content) = ($4, $5) AND (n.user_id IS NULL OR n.user_id = nullif(d.user_id, ''))
      AND (n.accepted_at > $6 OR $6 IS NULL) THEN
      n.accepted_at
  END
FROM carillon.notifications AS n
JOIN carillon.devices AS d ON d.tenant_id = n.tenant_id AND d.device_id = n.device_id
WHERE n.tenant_id = $1 AND n.device_id = $2 AND n.notification_id = $3;

-- name: notifications_change_once
-- The same, with its answer kept.
WITH changed AS MATERIALIZED (
  SELECT carillon.change_queue($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS words
)
SELECT
  changed.words,
  carillon.keep_queue_answer(
    $1, $2, changed.words, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)::text
FROM changed;
