-- The truth about a device: how its authorization and settings came to be what they are, what became of each
-- occurrence that came due on it, and what follows from both for its next plan.

-- What one report changed of a device. The last of them are kept.
CREATE TABLE carillon.device_changes (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  -- From 1, per device.
  change_number bigint NOT NULL,
  -- The server's time.
  changed_at timestamptz NOT NULL,
  -- Of the report that told it.
  sequence bigint,
  -- By the device's clock: information, never an order.
  sent_at timestamptz,
  -- After the change.
  app_version text,
  authorization_status text NOT NULL,
  -- What the change means: 'degraded', 'recovered', or nothing.
  fatigue text,
  -- By member of the report: {"settings.sound": ["enabled", "disabled"]}; null stands for "never reported".
  changes jsonb NOT NULL,
  -- Ids of what the report put and cancelled, the first of them, and how many more there were.
  puts text[] NOT NULL DEFAULT '{}',
  cancels text[] NOT NULL DEFAULT '{}',
  more_edits integer NOT NULL DEFAULT 0,
  -- Whose they are: the user after the change; null: nobody was signed in.
  user_id text COLLATE "C",
  CONSTRAINT device_changes_pkey PRIMARY KEY (tenant_id, device_id, change_number),
  CONSTRAINT device_changes_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE,
  CONSTRAINT device_changes_fatigue_check CHECK (fatigue IN ('degraded', 'recovered'))
);

ALTER TABLE carillon.device_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.device_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.device_changes
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, DELETE ON carillon.device_changes TO carillon_app;
GRANT SELECT ON carillon.device_changes TO carillon_operator;

-- One occurrence of a notification whose time has come, and what became of it.
CREATE TABLE carillon.deliveries (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  -- When it was to ring, before quiet hours and caps.
  wished_at timestamptz NOT NULL,
  -- The id it had on the device: its own, that of an occurrence, or that of a digest.
  request_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  -- When it rang or would have: where it was moved to, if it was held there, else the wish.
  due_at timestamptz NOT NULL,
  outcome text NOT NULL,
  -- Why it was not held; null: it was.
  reason text,
  noted_at timestamptz NOT NULL,
  -- When the outcome was found; null: it is open.
  settled_at timestamptz,
  tapped_at timestamptz,
  dismissed_at timestamptz,
  -- How it could be noticed by the settings of its time, and which of its needs they did not meet.
  reach text,
  unmet_needs text[] NOT NULL,
  -- What the device held, for grading: null where it held nothing.
  revision bigint,
  -- Of the first and the last of the plans that held it without a break until its time came.
  plan_version integer,
  last_plan_version integer,
  repeats boolean NOT NULL,
  -- Whose the notification was; null: nobody's; empty: not known any more, and shown to operators alone.
  user_id text COLLATE "C",
  CONSTRAINT deliveries_pkey PRIMARY KEY (tenant_id, device_id, notification_id, wished_at),
  CONSTRAINT deliveries_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE,
  CONSTRAINT deliveries_outcome_check CHECK (outcome IN (
    'open', 'delivered', 'inferredDelivered', 'suppressed', 'removedOnDevice', 'missed', 'rescued', 'expired'
  )),
  CONSTRAINT deliveries_settled_check CHECK ((outcome = 'open') = (settled_at IS NULL))
);

CREATE INDEX deliveries_due ON carillon.deliveries (tenant_id, device_id, due_at, notification_id, wished_at);
CREATE INDEX deliveries_open ON carillon.deliveries (tenant_id, device_id) WHERE outcome = 'open';
CREATE INDEX deliveries_request ON carillon.deliveries (tenant_id, device_id, request_id)
  WHERE request_id <> notification_id;

ALTER TABLE carillon.deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.deliveries
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.deliveries TO carillon_app;
GRANT SELECT ON carillon.deliveries TO carillon_operator;
GRANT SELECT, DELETE ON carillon.deliveries TO carillon_worker;

-- What the next plan and the next report need of all that: one narrow row a device.
CREATE TABLE carillon.device_truths (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  -- Everything that came due by then stands in carillon.deliveries.
  looked_at timestamptz,
  -- The device's row_version of the write that recorded it: what was put later has a greater put_version.
  looked_version bigint NOT NULL,
  -- Ids of one-time notifications whose wished time has passed and which are still to come.
  waiting text[] NOT NULL,
  -- Ids of requests that the device lost before they were due and has not shown again.
  vanished text[] NOT NULL,
  -- What was delivered and is over, though its time is, or may be, still to come: [[id, due_at, accepted_at]], in
  -- milliseconds since 1970.
  delivered jsonb NOT NULL,
  -- The newest plan the device said it has applied.
  applied_plan_version integer,
  -- How each type was received: [[type, delivered, tapped]], older ones weighing less.
  tallies jsonb NOT NULL,
  -- The moment the tallies' weights are of.
  tallied_at timestamptz,
  -- Sound and lock screen were both on, and no degradation was found since.
  was_noticeable boolean NOT NULL,
  fatigued_at timestamptz,
  drift_dropped bigint NOT NULL,
  drift_unplanned bigint NOT NULL,
  drift_altered bigint NOT NULL,
  drift_at timestamptz,
  CONSTRAINT device_truths_pkey PRIMARY KEY (tenant_id, device_id),
  CONSTRAINT device_truths_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE
) WITH (fillfactor = 70);

ALTER TABLE carillon.device_truths ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.device_truths FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.device_truths
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE ON carillon.device_truths TO carillon_app;
GRANT SELECT ON carillon.device_truths TO carillon_operator;

-- Called by carillon.apply_sync, in the transaction of the sync and behind its guard.
-- p_history: {"change"?: columns, "most_changes", "most_edits", "truth"?: columns, "deliveries"?: [columns],
-- "most_deliveries", "forget_before", "evictions"?: by type}, the columns by their names in the tables above.
CREATE FUNCTION carillon.record_history(p_tenant uuid, p_device uuid, p_now timestamptz, p_history jsonb)
RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_number bigint;
  v_most integer;
  v_is_edit boolean;
BEGIN
  IF p_history ? 'change' THEN
    SELECT coalesce(max(c.change_number), 0) + 1 INTO v_number
    FROM carillon.device_changes AS c
    WHERE c.tenant_id = p_tenant AND c.device_id = p_device;
    INSERT INTO carillon.device_changes (
      tenant_id, device_id, change_number, changed_at, sequence, sent_at, app_version, authorization_status,
      fatigue, changes, puts, cancels, more_edits, user_id
    )
    SELECT
      p_tenant, p_device, v_number, p_now, c.sequence, c.sent_at, c.app_version, c.authorization_status,
      c.fatigue, c.changes, c.puts, c.cancels, c.more_edits, c.user_id
    FROM jsonb_to_record(p_history -> 'change') AS c (
      sequence bigint, sent_at timestamptz, app_version text, authorization_status text, fatigue text,
      changes jsonb, puts text[], cancels text[], more_edits integer, user_id text
    )
    ON CONFLICT DO NOTHING;
    -- What only changed the queue is counted apart: a busy one must not push out how the device came to be what it is.
    v_is_edit := p_history #> '{change,changes}' = '{}' AND p_history #> '{change,fatigue}' IS NULL;
    v_most := (p_history ->> CASE WHEN v_is_edit THEN 'most_edits' ELSE 'most_changes' END)::integer;
    IF v_number > v_most THEN
      DELETE FROM carillon.device_changes
      WHERE tenant_id = p_tenant AND device_id = p_device
        AND (changes = '{}' AND fatigue IS NULL) = v_is_edit AND change_number <= (
          SELECT n.change_number
          FROM carillon.device_changes AS n
          WHERE n.tenant_id = p_tenant AND n.device_id = p_device
            AND (n.changes = '{}' AND n.fatigue IS NULL) = v_is_edit
          ORDER BY n.change_number DESC
          OFFSET v_most LIMIT 1
        );
    END IF;
  END IF;

  IF p_history ? 'deliveries' THEN
    INSERT INTO carillon.deliveries AS d (
      tenant_id, device_id, notification_id, wished_at, request_id, type, due_at, outcome, reason, noted_at,
      settled_at, tapped_at, dismissed_at, reach, unmet_needs, revision, plan_version,
      last_plan_version, repeats, user_id
    )
    SELECT
      p_tenant, p_device, r.notification_id, r.wished_at, r.request_id, r.type, r.due_at, r.outcome, r.reason,
      p_now, CASE WHEN r.outcome <> 'open' THEN p_now END, r.tapped_at, r.dismissed_at, r.reach, r.unmet_needs,
      r.revision, r.plan_version, r.last_plan_version, r.repeats,
      -- What rang and stands in the queue no more is its user's where nobody else has been there.
      CASE
        WHEN r.is_orphan AND EXISTS (
          SELECT FROM carillon.device_changes AS c
          WHERE c.tenant_id = p_tenant AND c.device_id = p_device AND c.changes #>> '{device.userId,0}' <> ''
        ) THEN ''
        ELSE r.user_id
      END
    FROM jsonb_to_recordset(p_history -> 'deliveries') AS r (
      notification_id text, wished_at timestamptz, request_id text, type text, due_at timestamptz, outcome text,
      reason text, tapped_at timestamptz, dismissed_at timestamptz, reach text, unmet_needs text[],
      revision bigint, plan_version integer, last_plan_version integer, repeats boolean, user_id text,
      is_orphan boolean
    )
    ON CONFLICT (tenant_id, device_id, notification_id, wished_at) DO UPDATE
      SET
        request_id = excluded.request_id, type = excluded.type, due_at = excluded.due_at,
        outcome = excluded.outcome, reason = excluded.reason,
        settled_at = CASE WHEN d.outcome = excluded.outcome THEN d.settled_at ELSE excluded.settled_at END,
        tapped_at = coalesce(d.tapped_at, excluded.tapped_at),
        dismissed_at = coalesce(d.dismissed_at, excluded.dismissed_at),
        reach = excluded.reach, unmet_needs = excluded.unmet_needs, revision = excluded.revision,
        plan_version = excluded.plan_version, last_plan_version = excluded.last_plan_version,
        repeats = excluded.repeats, user_id = excluded.user_id
      -- What was delivered stays so. Nothing that never was on the device says more than what was there, and of two
      -- tries the later one counts.
      WHERE excluded.outcome IN ('delivered', 'rescued')
        -- Open without a plan: it has come once, and is to come again.
        OR d.outcome = 'open' AND (excluded.outcome = 'open' OR d.plan_version IS NULL)
        OR excluded.plan_version IS NOT NULL AND (
          d.outcome = 'open'
          OR d.outcome NOT IN ('delivered', 'rescued', 'inferredDelivered')
            AND (excluded.due_at > d.due_at OR excluded.outcome = 'inferredDelivered')
        );
    v_most := (p_history ->> 'most_deliveries')::integer;
    DELETE FROM carillon.deliveries
    WHERE tenant_id = p_tenant AND device_id = p_device AND due_at < (p_history ->> 'forget_before')::timestamptz;
    DELETE FROM carillon.deliveries
    WHERE tenant_id = p_tenant AND device_id = p_device AND due_at <= (
      SELECT n.due_at
      FROM carillon.deliveries AS n
      WHERE n.tenant_id = p_tenant AND n.device_id = p_device
      ORDER BY n.due_at DESC
      OFFSET v_most LIMIT 1
    );
  END IF;

  IF p_history ? 'truth' THEN
    INSERT INTO carillon.device_truths (
      tenant_id, device_id, looked_at, looked_version, waiting, vanished, delivered, applied_plan_version, tallies, tallied_at,
      was_noticeable, fatigued_at, drift_dropped, drift_unplanned, drift_altered, drift_at
    )
    SELECT
      p_tenant, p_device, r.looked_at, r.looked_version, r.waiting, r.vanished, r.delivered, r.applied_plan_version, r.tallies, r.tallied_at,
      r.was_noticeable, r.fatigued_at, r.drift_dropped, r.drift_unplanned, r.drift_altered, r.drift_at
    FROM jsonb_to_record(p_history -> 'truth') AS r (
      looked_at timestamptz, looked_version bigint, waiting text[], vanished text[], delivered jsonb, applied_plan_version integer, tallies jsonb,
      tallied_at timestamptz, was_noticeable boolean, fatigued_at timestamptz, drift_dropped bigint,
      drift_unplanned bigint, drift_altered bigint, drift_at timestamptz
    )
    ON CONFLICT (tenant_id, device_id) DO UPDATE
      SET
        looked_at = excluded.looked_at, looked_version = excluded.looked_version, waiting = excluded.waiting,
        vanished = excluded.vanished, delivered = excluded.delivered,
        applied_plan_version = excluded.applied_plan_version, tallies = excluded.tallies,
        tallied_at = excluded.tallied_at, was_noticeable = excluded.was_noticeable,
        fatigued_at = excluded.fatigued_at, drift_dropped = excluded.drift_dropped,
        drift_unplanned = excluded.drift_unplanned, drift_altered = excluded.drift_altered,
        drift_at = excluded.drift_at;
  END IF;

  IF p_history ? 'evictions' THEN
    PERFORM carillon.record_evictions(p_tenant, p_device, p_now, p_history -> 'evictions');
  END IF;
END
$function$;

REVOKE ALL ON FUNCTION carillon.record_history(uuid, uuid, timestamptz, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.record_history(uuid, uuid, timestamptz, jsonb) TO carillon_app;
