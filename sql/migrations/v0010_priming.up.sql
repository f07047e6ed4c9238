-- How each installation was asked for permission: what is known, each fact apart, and what it was answered.

CREATE TABLE carillon.device_priming (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  primer_shown_at timestamptz,
  -- When the screen was first shown or answered: an answer proves that it was shown.
  first_primed_at timestamptz,
  accepted_at timestamptz,
  postponed_at timestamptz,
  postpones integer NOT NULL DEFAULT 0,
  -- The newest answer on the app's own screen.
  screen_answer text,
  -- The first time; the system's dialog comes once.
  dialog_shown_at timestamptz,
  -- The first answer that iOS reported.
  system_answer text,
  system_answered_at timestamptz,
  taps integer NOT NULL DEFAULT 0,
  tapped_at timestamptz,
  -- Of the newest row in carillon.priming_steps.
  last_step bigint NOT NULL DEFAULT 0,
  CONSTRAINT device_priming_pkey PRIMARY KEY (tenant_id, device_id),
  CONSTRAINT device_priming_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE,
  CONSTRAINT device_priming_screen_answer_check CHECK (screen_answer IN ('accepted', 'postponed')),
  CONSTRAINT device_priming_system_answer_check CHECK (system_answer IN ('granted', 'denied')),
  CONSTRAINT device_priming_system_answered_check CHECK ((system_answer IS NULL) = (system_answered_at IS NULL))
);

ALTER TABLE carillon.device_priming ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.device_priming FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.device_priming
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.device_priming TO carillon_app;
GRANT SELECT ON carillon.device_priming TO carillon_operator;

CREATE TABLE carillon.priming_steps (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  -- Counts up on its device.
  step_number bigint NOT NULL,
  at timestamptz NOT NULL,
  action text,
  context text,
  step text NOT NULL,
  reason text NOT NULL,
  CONSTRAINT priming_steps_pkey PRIMARY KEY (tenant_id, device_id, step_number),
  CONSTRAINT priming_steps_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE
);

ALTER TABLE carillon.priming_steps ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.priming_steps FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.priming_steps
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, DELETE ON carillon.priming_steps TO carillon_app;
GRANT SELECT ON carillon.priming_steps TO carillon_operator;

-- Behind the guard of its caller, who holds the device's row. p_priming: {"facts"?: the columns of
-- carillon.device_priming by name, "answered"?: {"action"?, "context"?, "step", "reason"}, "most": steps to keep}.
CREATE FUNCTION carillon.record_priming(p_tenant uuid, p_device uuid, p_now timestamptz, p_priming jsonb) RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_step bigint;
BEGIN
  IF p_priming ? 'facts' THEN
    INSERT INTO carillon.device_priming AS p (
      tenant_id, device_id, primer_shown_at, first_primed_at, accepted_at, postponed_at, postpones,
      screen_answer, dialog_shown_at, system_answer, system_answered_at, taps, tapped_at
    )
    SELECT
      p_tenant, p_device, f.primer_shown_at, least(f.primer_shown_at, f.accepted_at, f.postponed_at), f.accepted_at,
      f.postponed_at, f.postpones,
      f.screen_answer, f.dialog_shown_at, f.system_answer, f.system_answered_at, f.taps, f.tapped_at
    FROM jsonb_to_record(p_priming -> 'facts') AS f (
      primer_shown_at timestamptz, accepted_at timestamptz, postponed_at timestamptz, postpones integer,
      screen_answer text, dialog_shown_at timestamptz, system_answer text, system_answered_at timestamptz,
      taps integer, tapped_at timestamptz
    )
    ON CONFLICT (tenant_id, device_id) DO UPDATE
      SET
        primer_shown_at = excluded.primer_shown_at,
        first_primed_at = coalesce(p.first_primed_at, excluded.first_primed_at),
        accepted_at = excluded.accepted_at,
        postponed_at = excluded.postponed_at, postpones = excluded.postpones,
        screen_answer = excluded.screen_answer, dialog_shown_at = excluded.dialog_shown_at,
        system_answer = excluded.system_answer, system_answered_at = excluded.system_answered_at,
        taps = excluded.taps, tapped_at = excluded.tapped_at;
  END IF;

  IF p_priming ? 'answered' THEN
    INSERT INTO carillon.device_priming AS p (tenant_id, device_id, last_step)
    VALUES (p_tenant, p_device, 1)
    ON CONFLICT (tenant_id, device_id) DO UPDATE SET last_step = p.last_step + 1
    RETURNING p.last_step INTO v_step;
    INSERT INTO carillon.priming_steps (tenant_id, device_id, step_number, at, action, context, step, reason)
    SELECT p_tenant, p_device, v_step, p_now, a.action, a.context, a.step, a.reason
    FROM jsonb_to_record(p_priming -> 'answered') AS a (action text, context text, step text, reason text)
    ON CONFLICT DO NOTHING;
    DELETE FROM carillon.priming_steps
    WHERE tenant_id = p_tenant AND device_id = p_device AND step_number <= v_step - (p_priming ->> 'most')::bigint;
  END IF;
END
$function$;

REVOKE ALL ON FUNCTION carillon.record_priming(uuid, uuid, timestamptz, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.record_priming(uuid, uuid, timestamptz, jsonb) TO carillon_app;

-- Keeps the answer to a question, if the device is still as it was when the answer was found: false means to look again.
CREATE FUNCTION carillon.answer_priming(
  p_tenant uuid, p_device uuid, p_now timestamptz, p_expected bigint, p_priming jsonb
) RETURNS boolean
LANGUAGE plpgsql
AS $function$
DECLARE
  v_row_version bigint;
BEGIN
  -- All writers of a device wait here for each other.
  SELECT s.row_version INTO v_row_version
  FROM carillon.device_syncs AS s
  WHERE s.tenant_id = p_tenant AND s.device_id = p_device
  FOR UPDATE;
  IF NOT FOUND OR v_row_version <> p_expected THEN
    RETURN false;
  END IF;
  PERFORM carillon.record_priming(p_tenant, p_device, p_now, p_priming);
  RETURN true;
END
$function$;

REVOKE ALL ON FUNCTION carillon.answer_priming(uuid, uuid, timestamptz, bigint, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.answer_priming(uuid, uuid, timestamptz, bigint, jsonb) TO carillon_app;
