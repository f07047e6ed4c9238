-- The queue: one row a notification. Planning reads the head; the content is read for what a plan adds.

CREATE TABLE carillon.notifications (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  head bytea NOT NULL,
  -- Canonical JSON.
  content bytea COMPRESSION lz4 NOT NULL,
  accepted_at timestamptz NOT NULL,
  -- The device's row_version of the write that put it: two writes may fall into one millisecond.
  put_version bigint NOT NULL,
  -- Whose it is: the user the device had when it was put; null: nobody's. While somebody else is there it sleeps.
  user_id text COLLATE "C",
  CONSTRAINT notifications_pkey PRIMARY KEY (tenant_id, device_id, notification_id),
  CONSTRAINT notifications_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE,
  CONSTRAINT notifications_id_check CHECK (octet_length(notification_id) BETWEEN 1 AND 128)
);

ALTER TABLE carillon.notifications ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.notifications FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.notifications
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.notifications TO carillon_app;
GRANT SELECT ON carillon.notifications TO carillon_operator;

-- Puts entries into a device's queue, but those of p_skip; answers the ids that are new or other than they were. The
-- same notification again keeps its time of acceptance, unless it was another user's, or was accepted by the time in
-- p_renews: then it is a new request.
CREATE FUNCTION carillon.put_entries(
  p_tenant uuid, p_device uuid, p_now timestamptz, p_version bigint, p_user text, p_ids text[], p_heads bytea[],
  p_contents bytea[], p_renews timestamptz[], p_skip text[]
) RETURNS SETOF text
-- Not in SQL: such a function is parsed and planned at every call.
LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN QUERY
  INSERT INTO carillon.notifications AS n (
    tenant_id, device_id, notification_id, head, content, accepted_at, put_version, user_id
  )
  SELECT p_tenant, p_device, i.id, i.head, i.content, p_now, p_version, p_user
  FROM unnest(p_ids, p_heads, p_contents) AS i (id, head, content)
  WHERE i.id <> ALL (p_skip)
  ON CONFLICT (tenant_id, device_id, notification_id) DO UPDATE
    SET
      head = excluded.head, content = excluded.content, user_id = excluded.user_id,
      accepted_at = CASE
        WHEN (n.head, n.content) = (excluded.head, excluded.content)
          AND (n.user_id IS NULL OR n.user_id = excluded.user_id)
          AND coalesce(n.accepted_at > p_renews[array_position(p_ids, n.notification_id)], true) THEN n.accepted_at
        ELSE excluded.accepted_at
      END,
      put_version = CASE
        WHEN (n.head, n.content) = (excluded.head, excluded.content)
          AND (n.user_id IS NULL OR n.user_id = excluded.user_id)
          AND coalesce(n.accepted_at > p_renews[array_position(p_ids, n.notification_id)], true) THEN n.put_version
        ELSE excluded.put_version
      END
    WHERE (n.head, n.content, n.user_id) IS DISTINCT FROM (excluded.head, excluded.content, excluded.user_id)
      OR n.accepted_at <= p_renews[array_position(p_ids, n.notification_id)]
  RETURNING n.notification_id;
END
$function$;

-- Takes ids out of a queue and puts others in; makes the device, as a shell, when there is something to put.
-- Answers one word an id: of the puts, then of the cancels. No id may stand twice. Answers 'lookFirst' alone, and has
-- changed nothing, where something may have come due that would be lost; not to who says that he has looked. Answers
-- 'otherUser' and the present user, if there is one, and has changed nothing, where the device is not that of all of
-- p_users: who found it by its user may come too late.
CREATE FUNCTION carillon.change_queue(
  p_tenant uuid, p_device uuid, p_now timestamptz, p_put_ids text[], p_put_heads bytea[], p_put_contents bytea[],
  p_cancel_ids text[], p_max_entries integer,
  -- The first fire of what is put; null: nothing of it has one.
  p_put_due timestamptz, p_has_looked boolean,
  -- By which the device was found; empty: it was named itself.
  p_users text[],
  -- An item each: a put of what was accepted by then is a new request, though nothing else differs; null: it is not.
  p_put_renews timestamptz[]
) RETURNS text[]
LANGUAGE plpgsql
AS $function$
DECLARE
  v_look_at timestamptz;
  v_version bigint;
  v_user text;
  v_cancelled text[] := '{}';
  v_room integer;
  v_old text[];
  v_skipped text[];
  v_written text[];
  v_puts text[];
  v_cancels text[];
BEGIN
  -- A device that was found by its user has been there: where it is no more, it is not made again.
  IF cardinality(p_put_ids) > 0 AND cardinality(p_users) = 0 THEN
    INSERT INTO carillon.devices (tenant_id, device_id, created_at, updated_at)
    VALUES (p_tenant, p_device, p_now, p_now)
    ON CONFLICT DO NOTHING;
    INSERT INTO carillon.device_syncs (tenant_id, device_id, created_at, row_version, plan_version)
    VALUES (p_tenant, p_device, p_now, 0, 0)
    ON CONFLICT DO NOTHING;
  END IF;

  -- All writers of a device's queue wait here for each other.
  SELECT s.look_at, s.row_version + 1 INTO v_look_at, v_version
  FROM carillon.device_syncs AS s
  WHERE s.tenant_id = p_tenant AND s.device_id = p_device
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN CASE
      WHEN cardinality(p_users) = 0 THEN array_fill('absent'::text, ARRAY[cardinality(p_cancel_ids)])
      ELSE ARRAY['otherUser']
    END;
  END IF;
  -- Behind the lock, which a sync that changes the user holds, too.
  SELECT nullif(d.user_id, '') INTO v_user
  FROM carillon.devices AS d
  WHERE d.tenant_id = p_tenant AND d.device_id = p_device;
  IF EXISTS (SELECT FROM unnest(p_users) AS u (id) WHERE nullif(u.id, '') IS DISTINCT FROM v_user) THEN
    RETURN CASE WHEN v_user IS NULL THEN ARRAY['otherUser'] ELSE ARRAY['otherUser', v_user] END;
  END IF;
  IF v_look_at <= p_now AND NOT p_has_looked AND EXISTS (
    SELECT FROM carillon.notifications AS n
    WHERE n.tenant_id = p_tenant AND n.device_id = p_device AND n.notification_id = ANY (p_put_ids || p_cancel_ids)
  ) THEN
    RETURN ARRAY['lookFirst'];
  END IF;

  IF cardinality(p_cancel_ids) > 0 THEN
    WITH gone AS (
      DELETE FROM carillon.notifications
      WHERE tenant_id = p_tenant AND device_id = p_device AND notification_id = ANY (p_cancel_ids)
      RETURNING notification_id
    )
    SELECT coalesce(array_agg(notification_id), '{}') INTO v_cancelled FROM gone;
  END IF;

  SELECT p_max_entries - count(*) INTO v_room
  FROM carillon.notifications
  WHERE tenant_id = p_tenant AND device_id = p_device;

  SELECT coalesce(array_agg(n.notification_id), '{}') INTO v_old
  FROM carillon.notifications AS n
  WHERE n.tenant_id = p_tenant AND n.device_id = p_device AND n.notification_id = ANY (p_put_ids);
  -- New ones beyond the room there is.
  SELECT coalesce(array_agg(f.id), '{}') INTO v_skipped
  FROM (
    SELECT i.id, row_number() OVER (ORDER BY i.place) AS number
    FROM unnest(p_put_ids) WITH ORDINALITY AS i (id, place)
    WHERE i.id <> ALL (v_old)
  ) AS f
  WHERE f.number > v_room;
  v_written := ARRAY(
    SELECT carillon.put_entries(
      p_tenant, p_device, p_now, v_version, v_user, p_put_ids, p_put_heads, p_put_contents, p_put_renews,
      v_skipped));
  SELECT coalesce(array_agg(
    CASE
      WHEN i.id = ANY (v_skipped) THEN 'queueFull'
      WHEN i.id <> ALL (v_written) THEN 'unchanged'
      WHEN i.id = ANY (v_old) THEN 'replaced'
      ELSE 'inserted'
    END ORDER BY i.place), '{}')
  INTO v_puts
  FROM unnest(p_put_ids) WITH ORDINALITY AS i (id, place);

  IF v_puts && ARRAY['inserted', 'replaced'] OR cardinality(v_cancelled) > 0 THEN
    UPDATE carillon.device_syncs
    SET row_version = row_version + 1, report_digest = NULL, look_at = least(look_at, p_put_due)
    WHERE tenant_id = p_tenant AND device_id = p_device;
  END IF;

  SELECT coalesce(array_agg(
    CASE WHEN c.id = ANY (v_cancelled) THEN 'cancelled' ELSE 'absent' END ORDER BY c.place), '{}')
  INTO v_cancels
  FROM unnest(p_cancel_ids) WITH ORDINALITY AS c (id, place);

  RETURN v_puts || v_cancels;
END
$function$;

REVOKE ALL ON FUNCTION carillon.put_entries(uuid, uuid, timestamptz, bigint, text, text[], bytea[], bytea[], timestamptz[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.put_entries(uuid, uuid, timestamptz, bigint, text, text[], bytea[], bytea[], timestamptz[], text[]) TO carillon_app;

REVOKE ALL ON FUNCTION carillon.change_queue(
  uuid, uuid, timestamptz, text[], bytea[], bytea[], text[], integer, timestamptz, boolean, text[],
  timestamptz[]
) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.change_queue(
  uuid, uuid, timestamptz, text[], bytea[], bytea[], text[], integer, timestamptz, boolean, text[],
  timestamptz[]
) TO carillon_app;
