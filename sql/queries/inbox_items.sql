-- name: inbox_items_unread
-- $4: the device's user from now on; null for the one it has.
SELECT r_unread, r_changes_at, r_begins, r_most
FROM carillon.count_unread($1, $2, $3, $4);

-- name: inbox_items_known
-- Which of these occurrences stand in the inbox of the device, or would if $5 were its user.
SELECT DISTINCT i.notification_id, i.wished_at
FROM carillon.inbox_items AS i
JOIN unnest($3::text[], $4::timestamptz[]) AS w (id, wish) ON w.id = i.notification_id AND w.wish = i.wished_at
WHERE i.tenant_id = $1
  AND i.inbox_id IN (carillon.inbox_of($1, $2), carillon.inbox_id($1, $2, $5));

-- name: inbox_items_page
-- Newest first, by keyset: what stands behind ($5, $6, $7). $9: whose inbox; null: of the device's user.
SELECT
  i.notification_id, i.wished_at, i.at, i.type, i.content, i.outcome, i.seen_at, i.read_at, i.archived_at,
  i.snoozed_until
FROM carillon.inbox_items AS i
-- No coalesce: row security lets nothing go into an index that might leak a row, and takes it for such a thing.
WHERE i.tenant_id = $1
  AND i.inbox_id = CASE
    WHEN $9::text IS NULL THEN carillon.inbox_of($1, $2) ELSE carillon.inbox_id($1, $2, $9)
  END
  AND i.at > carillon.inbox_begins($1, $2, $3)
  AND (i.at, i.notification_id, i.wished_at) < ($5, $6, $7)
  AND CASE $4
    WHEN 'all' THEN true
    WHEN 'archived' THEN i.archived_at IS NOT NULL
    WHEN 'snoozed' THEN i.archived_at IS NULL AND i.snoozed_until > $3
    ELSE i.archived_at IS NULL AND (i.snoozed_until IS NULL OR i.snoozed_until <= $3) AND CASE $4
      WHEN 'unseen' THEN i.seen_at IS NULL
      WHEN 'seen' THEN i.seen_at IS NOT NULL AND i.read_at IS NULL
      WHEN 'unread' THEN i.read_at IS NULL
      WHEN 'read' THEN i.read_at IS NOT NULL
      ELSE true
    END
  END
ORDER BY i.at DESC, i.notification_id DESC, i.wished_at DESC
LIMIT $8;

-- name: inbox_items_mark
-- $9: whose inbox; null: of the device's user.
SELECT carillon.mark_inbox($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: inbox_items_mark_once
-- The same, with its answer kept: $16, the number of unread items, $17. A device that is not there keeps nothing.
WITH marked AS MATERIALIZED (
  SELECT carillon.mark_inbox($1, $2, $3, $4, $5, $6, $7, $8, $9) AS unread
)
SELECT
  marked.unread,
  CASE
    WHEN EXISTS (SELECT FROM carillon.devices AS d WHERE d.tenant_id = $1 AND d.device_id = $2) THEN
      carillon.keep_answer(
        $1, $2, $10, $11, $12, $13, $14, $15, $16 || convert_to(marked.unread::text, 'UTF8') || $17, $18, $19)::text
  END
FROM marked;

-- name: inbox_items_erase
SELECT carillon.erase_inbox($1, $2);
