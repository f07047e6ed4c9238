-- Reports: what happened on a day, counted over all devices of a tenant. Nothing in the counts says who they were.

-- How many notifications of a type were left without a slot: the most of any plan the device got that day.
CREATE TABLE carillon.device_evictions (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  -- Of the server's time, in UTC.
  day date NOT NULL,
  type text COLLATE "C" NOT NULL,
  evicted integer NOT NULL,
  CONSTRAINT device_evictions_pkey PRIMARY KEY (tenant_id, device_id, day, type),
  CONSTRAINT device_evictions_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE
);

ALTER TABLE carillon.device_evictions ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.device_evictions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.device_evictions
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.device_evictions TO carillon_app;
GRANT SELECT ON carillon.device_evictions TO carillon_operator;
GRANT SELECT, DELETE ON carillon.device_evictions TO carillon_worker;

-- Called by carillon.record_history, so in the transaction of the sync and behind its guard, when a plan is new.
-- p_evictions: by type.
CREATE FUNCTION carillon.record_evictions(p_tenant uuid, p_device uuid, p_now timestamptz, p_evictions jsonb)
RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_day date := (p_now AT TIME ZONE 'UTC')::date;
BEGIN
  INSERT INTO carillon.device_evictions AS e (tenant_id, device_id, day, type, evicted)
  SELECT p_tenant, p_device, v_day, t.key, t.value::integer
  FROM jsonb_each_text(p_evictions) AS t
  ON CONFLICT (tenant_id, device_id, day, type) DO UPDATE
    SET evicted = excluded.evicted
    WHERE e.evicted < excluded.evicted;
  -- As long as occurrences are remembered.
  DELETE FROM carillon.device_evictions
  WHERE tenant_id = p_tenant AND device_id = p_device AND day < (
    SELECT (least(p_now, t.retention_at) AT TIME ZONE 'UTC')::date - 90
    FROM carillon.tenants AS t
    WHERE t.tenant_id = p_tenant
  );
END
$function$;

REVOKE ALL ON FUNCTION carillon.record_evictions(uuid, uuid, timestamptz, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.record_evictions(uuid, uuid, timestamptz, jsonb) TO carillon_app;

-- Which days were counted, and who counts one now.
CREATE TABLE carillon.report_days (
  tenant_id uuid NOT NULL,
  day date NOT NULL,
  rolled_up_at timestamptz,
  -- How many days old the day was then; 0: it was not counted yet.
  age integer NOT NULL DEFAULT 0,
  -- Who counts it, until when nobody else may.
  holder uuid,
  held_until timestamptz,
  CONSTRAINT report_days_pkey PRIMARY KEY (tenant_id, day),
  CONSTRAINT report_days_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES carillon.tenants ON DELETE CASCADE,
  CONSTRAINT report_days_age_check CHECK ((age = 0) = (rolled_up_at IS NULL)),
  CONSTRAINT report_days_holder_check CHECK ((holder IS NULL) = (held_until IS NULL))
);

COMMENT ON TABLE carillon.report_days IS 'dist:tenant_id';

ALTER TABLE carillon.report_days ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.report_days FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.report_days
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.report_days TO carillon_app, carillon_operator;

CREATE TABLE carillon.report_counts (
  tenant_id uuid NOT NULL,
  -- Which counters stand in the row: 'notifications', 'permission' or 'fatigue'.
  counted text COLLATE "C" NOT NULL,
  day date NOT NULL,
  -- Of notifications; of 'fatigue' what the next column names. Empty: no type.
  type text COLLATE "C" NOT NULL,
  -- Empty: of devices without a cohort.
  cohort text COLLATE "C" NOT NULL,
  -- In the order of the measures of CarillonModel; those at the end that are zero are left out.
  counts bigint[] NOT NULL,
  CONSTRAINT report_counts_pkey PRIMARY KEY (tenant_id, counted, day, type, cohort),
  CONSTRAINT report_counts_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES carillon.tenants ON DELETE CASCADE,
  CONSTRAINT report_counts_counted_check CHECK (counted IN ('notifications', 'permission', 'fatigue'))
);

COMMENT ON TABLE carillon.report_counts IS 'dist:tenant_id';

ALTER TABLE carillon.report_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.report_counts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.report_counts
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, DELETE ON carillon.report_counts TO carillon_app, carillon_operator;

-- Days that nobody asks about any more go, of tenants that are not heard of too.
GRANT SELECT, DELETE ON carillon.report_days, carillon.report_counts TO carillon_worker;

-- What a device's own syncs would have forgotten by now, and what only they would: of a device that does not come back
-- somebody else has to. Answers how many rows went, by table.
CREATE FUNCTION carillon.purge_device(
  p_tenant uuid, p_device uuid, p_events_before timestamptz, p_deliveries_before timestamptz,
  p_evictions_before date, OUT r_events bigint, OUT r_deliveries bigint, OUT r_evictions bigint
)
LANGUAGE plpgsql
AS $function$
BEGIN
  -- All writers of a device wait here for each other.
  PERFORM FROM carillon.device_syncs
  WHERE tenant_id = p_tenant AND device_id = p_device
  FOR UPDATE;
  DELETE FROM carillon.device_events
  WHERE tenant_id = p_tenant AND device_id = p_device AND received_at < p_events_before;
  GET DIAGNOSTICS r_events = ROW_COUNT;
  DELETE FROM carillon.deliveries
  WHERE tenant_id = p_tenant AND device_id = p_device AND due_at < p_deliveries_before;
  GET DIAGNOSTICS r_deliveries = ROW_COUNT;
  DELETE FROM carillon.device_evictions
  WHERE tenant_id = p_tenant AND device_id = p_device AND day < p_evictions_before;
  GET DIAGNOSTICS r_evictions = ROW_COUNT;
END
$function$;

REVOKE ALL ON FUNCTION carillon.purge_device(uuid, uuid, timestamptz, timestamptz, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.purge_device(uuid, uuid, timestamptz, timestamptz, date) TO carillon_worker;
