-- What was announced, or was to be: each occurrence once, whatever happened to its notification. Several devices of a
-- user share one inbox; a device without a user has its own.

CREATE TABLE carillon.inbox_items (
  tenant_id uuid NOT NULL,
  -- By carillon.inbox_id.
  inbox_id uuid NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  -- The occurrence: when the notification was meant to fire.
  wished_at timestamptz NOT NULL,
  -- When its time came: later than the wish where it was moved.
  at timestamptz NOT NULL,
  type text NOT NULL,
  -- The content's JSON as it was then; the queue may have another one by now, or none.
  content bytea COMPRESSION lz4 NOT NULL,
  outcome text NOT NULL,
  -- The device whose outcome it is; null when that one was erased.
  origin uuid,
  seen_at timestamptz,
  read_at timestamptz,
  archived_at timestamptz,
  snoozed_until timestamptz,
  CONSTRAINT inbox_items_pkey PRIMARY KEY (tenant_id, inbox_id, notification_id, wished_at),
  CONSTRAINT inbox_items_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES carillon.tenants ON DELETE CASCADE
);

COMMENT ON TABLE carillon.inbox_items IS 'dist:inbox_id';

CREATE INDEX inbox_items_newest ON carillon.inbox_items (tenant_id, inbox_id, at, notification_id, wished_at);
CREATE INDEX inbox_items_unread ON carillon.inbox_items (tenant_id, inbox_id, at)
  WHERE read_at IS NULL AND archived_at IS NULL;
-- In whatever inboxes a device's outcomes stand: erasing it looks for them.
CREATE INDEX inbox_items_origin ON carillon.inbox_items (tenant_id, origin);

ALTER TABLE carillon.inbox_items ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.inbox_items FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.inbox_items
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.inbox_items TO carillon_app;
GRANT SELECT, DELETE ON carillon.inbox_items TO carillon_operator, carillon_worker;

-- The inbox of a user, or of a device without one (p_user is null, or empty: signed out). Hashed in both cases, so that no device can take
-- an id for itself that is some user's inbox.
CREATE FUNCTION carillon.inbox_id(p_tenant uuid, p_device uuid, p_user text) RETURNS uuid
LANGUAGE sql
STABLE
AS $function$
  SELECT encode(
    substr(
      sha256(convert_to(p_tenant::text || coalesce(' user ' || nullif(p_user, ''), ' device ' || p_device::text), 'UTF8')), 1, 16),
    'hex')::uuid
$function$;

-- The inbox a device shows; null when there is no such device.
CREATE FUNCTION carillon.inbox_of(p_tenant uuid, p_device uuid) RETURNS uuid
LANGUAGE sql
STABLE
AS $function$
  SELECT carillon.inbox_id(p_tenant, p_device, d.user_id)
  FROM carillon.devices AS d
  WHERE d.tenant_id = p_tenant AND d.device_id = p_device
$function$;

-- What came due by then is out of an inbox.
CREATE FUNCTION carillon.inbox_begins(p_tenant uuid, p_device uuid, p_now timestamptz) RETURNS timestamptz
LANGUAGE sql
STABLE
AS $function$
  SELECT least(p_now, t.retention_at) - make_interval(secs => t.inbox_days * 86400.0)
  FROM carillon.tenants AS t
  WHERE t.tenant_id = p_tenant
$function$;

-- How many items are unread; when that will change by time alone (null: never); and the tenant's limits. p_user: the
-- device's user from now on; null: the one it has. A device that gets its first user brings its own items along.
CREATE FUNCTION carillon.count_unread(
  p_tenant uuid, p_device uuid, p_now timestamptz, p_user text,
  OUT r_unread bigint, OUT r_changes_at timestamptz, OUT r_begins timestamptz, OUT r_most integer
)
LANGUAGE plpgsql
STABLE
AS $function$
DECLARE
  v_user text;
BEGIN
  SELECT least(p_now, t.retention_at) - make_interval(secs => t.inbox_days * 86400.0), t.inbox_items INTO r_begins, r_most
  FROM carillon.tenants AS t
  WHERE t.tenant_id = p_tenant;
  SELECT d.user_id INTO v_user FROM carillon.devices AS d WHERE d.tenant_id = p_tenant AND d.device_id = p_device;
  IF v_user IS NULL AND p_user IS NOT NULL THEN
    SELECT
      count(DISTINCT (i.notification_id, i.wished_at))
        FILTER (WHERE i.snoozed_until IS NULL OR i.snoozed_until <= p_now),
      least(min(i.snoozed_until) FILTER (WHERE i.snoozed_until > p_now), min(i.at) + (p_now - r_begins))
    INTO r_unread, r_changes_at
    FROM carillon.inbox_items AS i
    WHERE i.tenant_id = p_tenant
      AND i.inbox_id IN (
        carillon.inbox_id(p_tenant, p_device, p_user), carillon.inbox_id(p_tenant, p_device, NULL)
      )
      AND i.read_at IS NULL AND i.archived_at IS NULL AND i.at > r_begins;
  ELSE
    SELECT
      count(*) FILTER (WHERE i.snoozed_until IS NULL OR i.snoozed_until <= p_now),
      least(min(i.snoozed_until) FILTER (WHERE i.snoozed_until > p_now), min(i.at) + (p_now - r_begins))
    INTO r_unread, r_changes_at
    FROM carillon.inbox_items AS i
    WHERE i.tenant_id = p_tenant AND i.inbox_id = carillon.inbox_id(p_tenant, p_device, coalesce(p_user, v_user))
      AND i.read_at IS NULL AND i.archived_at IS NULL AND i.at > r_begins;
  END IF;
END
$function$;

-- How much an outcome says: of several devices' outcomes of one occurrence the most telling one stands.
CREATE FUNCTION carillon.outcome_rank(p_tenant uuid, p_device uuid, p_outcome text) RETURNS integer
LANGUAGE sql
IMMUTABLE
AS $function$
  SELECT coalesce(
    array_position(
      ARRAY['expired', 'suppressed', 'missed', 'removedOnDevice', 'open', 'inferredDelivered', 'rescued', 'delivered'],
      p_outcome), 0)
$function$;

-- Forgets what is too old or too much, the oldest first.
CREATE FUNCTION carillon.trim_inbox(p_tenant uuid, p_device uuid, p_now timestamptz, p_inbox uuid) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM carillon.inbox_items
  WHERE tenant_id = p_tenant AND inbox_id = p_inbox AND at <= carillon.inbox_begins(p_tenant, p_device, p_now);
  DELETE FROM carillon.inbox_items
  WHERE tenant_id = p_tenant AND inbox_id = p_inbox AND (notification_id, wished_at) IN (
    SELECT i.notification_id, i.wished_at
    FROM carillon.inbox_items AS i
    WHERE i.tenant_id = p_tenant AND i.inbox_id = p_inbox
    ORDER BY i.at DESC, i.notification_id DESC, i.wished_at DESC
    OFFSET (SELECT t.inbox_items FROM carillon.tenants AS t WHERE t.tenant_id = p_tenant)
  );
END
$function$;

-- Called by carillon.apply_sync behind its guard, before the device, its user and its queue change: what came due
-- belongs to who was there then, with the content it had. p_inbox: {"due": [item], "settled": [item]}, an item being
-- {"n": notification, "w": wished_at, "a": at, "t": type, "o": outcome, "u"?: whose inbox, where it is not the one that
-- the device shows}. The settled ones are there already.
CREATE FUNCTION carillon.record_inbox(p_tenant uuid, p_device uuid, p_now timestamptz, p_inbox jsonb) RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_inbox uuid := carillon.inbox_of(p_tenant, p_device);
  v_inboxes uuid[];
BEGIN
  SELECT array_agg(DISTINCT CASE WHEN s.u IS NULL THEN v_inbox ELSE carillon.inbox_id(p_tenant, p_device, s.u) END)
  INTO v_inboxes
  FROM jsonb_to_recordset(coalesce(p_inbox -> 'due', '[]') || coalesce(p_inbox -> 'settled', '[]')) AS s (u text);

  UPDATE carillon.inbox_items AS i
  SET outcome = d.o, origin = p_device
  FROM (
    SELECT
      s.n, s.w, s.o, CASE WHEN s.u IS NULL THEN v_inbox ELSE carillon.inbox_id(p_tenant, p_device, s.u) END AS inbox
    FROM jsonb_to_recordset(coalesce(p_inbox -> 'due', '[]') || coalesce(p_inbox -> 'settled', '[]'))
      AS s (n text, w timestamptz, o text, u text)
  ) AS d
  WHERE i.tenant_id = p_tenant AND i.inbox_id = ANY (v_inboxes) AND i.inbox_id = d.inbox
    AND i.notification_id = d.n AND i.wished_at = d.w
    AND (i.outcome, i.origin) IS DISTINCT FROM (d.o, p_device)
    AND (
      -- Of its own findings a device may correct all but a delivery.
      i.origin = p_device AND (
        d.o IN ('delivered', 'rescued') OR i.outcome NOT IN ('delivered', 'rescued', 'inferredDelivered')
      )
      OR carillon.outcome_rank(p_tenant, p_device, d.o) > carillon.outcome_rank(p_tenant, p_device, i.outcome)
    );

  IF jsonb_array_length(coalesce(p_inbox -> 'due', '[]')) > 0 THEN
    INSERT INTO carillon.inbox_items (
      tenant_id, inbox_id, notification_id, wished_at, at, type, content, outcome, origin
    )
    SELECT
      p_tenant, CASE WHEN d.u IS NULL THEN v_inbox ELSE carillon.inbox_id(p_tenant, p_device, d.u) END, d.n, d.w, d.a,
      d.t, n.content, d.o, p_device
    FROM jsonb_to_recordset(p_inbox -> 'due') AS d (n text, w timestamptz, a timestamptz, t text, o text, u text)
    JOIN carillon.notifications AS n
      ON n.tenant_id = p_tenant AND n.device_id = p_device AND n.notification_id = d.n
    ON CONFLICT DO NOTHING;
    PERFORM carillon.trim_inbox(p_tenant, p_device, p_now, i.inbox) FROM unnest(v_inboxes) AS i (inbox);
  END IF;
END
$function$;

-- The items of a device that had no user move into the inbox of its first one. Called before the device changes.
CREATE FUNCTION carillon.move_inbox(p_tenant uuid, p_device uuid, p_now timestamptz, p_user text) RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_own uuid := carillon.inbox_id(p_tenant, p_device, NULL);
  v_theirs uuid := carillon.inbox_id(p_tenant, p_device, p_user);
BEGIN
  IF coalesce(p_user, '') = '' OR EXISTS (
    SELECT FROM carillon.devices AS d
    WHERE d.tenant_id = p_tenant AND d.device_id = p_device AND d.user_id IS NOT NULL
  ) THEN
    RETURN;
  END IF;
  INSERT INTO carillon.inbox_items AS i (
    tenant_id, inbox_id, notification_id, wished_at, at, type, content, outcome, origin, seen_at, read_at, archived_at,
    snoozed_until
  )
  SELECT
    p_tenant, v_theirs, m.notification_id, m.wished_at, m.at, m.type, m.content, m.outcome, m.origin, m.seen_at,
    m.read_at, m.archived_at, m.snoozed_until
  FROM carillon.inbox_items AS m
  WHERE m.tenant_id = p_tenant AND m.inbox_id = v_own
  ON CONFLICT (tenant_id, inbox_id, notification_id, wished_at) DO UPDATE
    SET
      seen_at = coalesce(i.seen_at, excluded.seen_at), read_at = coalesce(i.read_at, excluded.read_at),
      archived_at = coalesce(i.archived_at, excluded.archived_at);
  DELETE FROM carillon.inbox_items WHERE tenant_id = p_tenant AND inbox_id = v_own;
  PERFORM carillon.trim_inbox(p_tenant, p_device, p_now, v_theirs);
END
$function$;

-- Marks items: those of p_ids (with p_wishes), or all that came due before p_before and are not put off. A mark that
-- stands keeps its time. p_user: whose inbox; null: of the device's user. Answers how many are unread afterwards.
CREATE FUNCTION carillon.mark_inbox(
  p_tenant uuid, p_device uuid, p_now timestamptz, p_mark text, p_ids text[], p_wishes timestamptz[],
  p_before timestamptz, p_until timestamptz, p_user text
) RETURNS bigint
LANGUAGE plpgsql
AS $function$
DECLARE
  v_inbox uuid := CASE
    WHEN p_user IS NULL THEN carillon.inbox_of(p_tenant, p_device)
    ELSE carillon.inbox_id(p_tenant, p_device, p_user)
  END;
BEGIN
  UPDATE carillon.inbox_items AS i
  SET
    seen_at = CASE WHEN p_mark IN ('seen', 'read') THEN coalesce(i.seen_at, p_now) ELSE i.seen_at END,
    read_at = CASE WHEN p_mark = 'read' THEN coalesce(i.read_at, p_now) ELSE i.read_at END,
    archived_at = CASE WHEN p_mark = 'archive' THEN coalesce(i.archived_at, p_now) ELSE i.archived_at END,
    snoozed_until = CASE WHEN p_mark = 'snooze' THEN p_until WHEN p_mark = 'seen' THEN i.snoozed_until END
  WHERE i.tenant_id = p_tenant AND i.inbox_id = v_inbox
    AND CASE
      WHEN p_before IS NULL THEN
        (i.notification_id, i.wished_at) IN (SELECT w.id, w.wish FROM unnest(p_ids, p_wishes) AS w (id, wish))
      ELSE i.at < p_before AND (i.snoozed_until IS NULL OR i.snoozed_until <= p_now)
    END
    AND CASE p_mark
      WHEN 'seen' THEN i.seen_at IS NULL
      WHEN 'read' THEN i.read_at IS NULL
      WHEN 'archive' THEN i.archived_at IS NULL
      ELSE i.snoozed_until IS DISTINCT FROM p_until
    END;
  RETURN (SELECT u.r_unread FROM carillon.count_unread(p_tenant, p_device, p_now, p_user) AS u);
END
$function$;

-- Before the device goes: its own inbox, and its user's when this is the last device of the user. What stays, of this
-- user or of one the device had before, keeps its outcome and forgets whose it is.
CREATE FUNCTION carillon.erase_inbox(p_tenant uuid, p_device uuid) RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_user text;
BEGIN
  DELETE FROM carillon.inbox_items
  WHERE tenant_id = p_tenant AND inbox_id = carillon.inbox_id(p_tenant, p_device, NULL);
  SELECT d.user_id INTO v_user FROM carillon.devices AS d WHERE d.tenant_id = p_tenant AND d.device_id = p_device;
  IF v_user IS NOT NULL AND NOT EXISTS (
    SELECT FROM carillon.devices AS d
    WHERE d.tenant_id = p_tenant AND d.user_id = v_user AND d.device_id <> p_device AND d.superseded_at IS NULL
  ) THEN
    DELETE FROM carillon.inbox_items
    WHERE tenant_id = p_tenant AND inbox_id = carillon.inbox_id(p_tenant, p_device, v_user);
  END IF;
  UPDATE carillon.inbox_items SET origin = NULL WHERE tenant_id = p_tenant AND origin = p_device;
END
$function$;

REVOKE ALL ON FUNCTION
  carillon.inbox_id(uuid, uuid, text),
  carillon.inbox_of(uuid, uuid),
  carillon.inbox_begins(uuid, uuid, timestamptz),
  carillon.count_unread(uuid, uuid, timestamptz, text),
  carillon.outcome_rank(uuid, uuid, text),
  carillon.trim_inbox(uuid, uuid, timestamptz, uuid),
  carillon.record_inbox(uuid, uuid, timestamptz, jsonb),
  carillon.move_inbox(uuid, uuid, timestamptz, text),
  carillon.mark_inbox(uuid, uuid, timestamptz, text, text[], timestamptz[], timestamptz, timestamptz, text),
  carillon.erase_inbox(uuid, uuid)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  carillon.inbox_id(uuid, uuid, text),
  carillon.inbox_of(uuid, uuid),
  carillon.inbox_begins(uuid, uuid, timestamptz),
  carillon.count_unread(uuid, uuid, timestamptz, text),
  carillon.outcome_rank(uuid, uuid, text),
  carillon.trim_inbox(uuid, uuid, timestamptz, uuid),
  carillon.record_inbox(uuid, uuid, timestamptz, jsonb),
  carillon.move_inbox(uuid, uuid, timestamptz, text),
  carillon.mark_inbox(uuid, uuid, timestamptz, text, text[], timestamptz[], timestamptz, timestamptz, text),
  carillon.erase_inbox(uuid, uuid)
TO carillon_app;
