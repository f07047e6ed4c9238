-- name: notifications_heads
SELECT notification_id, head, accepted_at, put_version
FROM carillon.notifications
WHERE tenant_id = $1 AND device_id = $2
ORDER BY notification_id;

-- name: notifications_get
SELECT notification_id, head, content, accepted_at
FROM carillon.notifications
WHERE tenant_id = $1 AND device_id = $2 AND notification_id = $3;

-- name: notifications_page
SELECT notification_id, head, content, accepted_at
FROM carillon.notifications
WHERE tenant_id = $1 AND device_id = $2 AND notification_id > $3
ORDER BY notification_id
LIMIT $4;

-- name: notifications_contents
SELECT notification_id, content
FROM carillon.notifications
WHERE tenant_id = $1 AND device_id = $2 AND notification_id = ANY ($3);

-- name: notifications_change
SELECT carillon.change_queue($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
