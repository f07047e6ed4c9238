-- Devices: what each has reported of itself, apart from where its reports stand. The first is wide and rarely
-- written, the second narrow and written by every sync.

CREATE TABLE carillon.devices (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  -- Apple's word, or one this version does not know.
  authorization_status text NOT NULL DEFAULT 'notDetermined',
  settings jsonb NOT NULL DEFAULT '{}',
  platform text,
  os_version text,
  app_version text,
  bundle_id text,
  time_zone text,
  first_weekday smallint,
  minimum_days_in_first_week smallint,
  locale text,
  device_key text,
  user_id text COLLATE "C",
  cohort text,
  push_token text,
  push_environment text,
  background_refresh text,
  -- What the device held when it last said so, as reported, in JSON; null: it has never said. No jsonb: every sync that
  -- brings news writes it, and nobody asks for a part of it.
  pending bytea COMPRESSION lz4,
  foreign_count integer NOT NULL DEFAULT 0,
  foreign_regions integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT devices_pkey PRIMARY KEY (tenant_id, device_id),
  CONSTRAINT devices_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES carillon.tenants ON DELETE CASCADE,
  CONSTRAINT devices_settings_check CHECK (jsonb_typeof(settings) = 'object'),
  CONSTRAINT devices_first_weekday_check CHECK (first_weekday BETWEEN 1 AND 7),
  CONSTRAINT devices_minimum_days_check CHECK (minimum_days_in_first_week BETWEEN 1 AND 7),
  CONSTRAINT devices_push_check CHECK ((push_token IS NULL) = (push_environment IS NULL))
) WITH (fillfactor = 70);

-- Beside the rest, if it fits in a page: each report that brings news reads and writes it.
ALTER TABLE carillon.devices ALTER COLUMN pending SET STORAGE MAIN;

ALTER TABLE carillon.devices ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.devices FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.devices
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

CREATE INDEX devices_user ON carillon.devices (tenant_id, user_id, device_id) WHERE user_id IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.devices TO carillon_app;
GRANT SELECT, DELETE ON carillon.devices TO carillon_operator;

-- Free space on each page and no index on what changes: an update by a sync stays on its page (HOT).
CREATE TABLE carillon.device_syncs (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  -- As in carillon.devices: whoever asks whether a plan is still the same reads this row alone.
  created_at timestamptz NOT NULL,
  -- Grows with each change of the device, its queue or its plan: the guard of optimistic writes.
  row_version bigint NOT NULL,
  -- The newest report's; null before the first.
  sequence bigint,
  seen_at timestamptz,
  -- A report of this digest may be answered with steady_answer until valid_until, under policy_version.
  report_digest bigint,
  valid_until timestamptz,
  policy_version integer,
  plan_version integer NOT NULL,
  steady_answer bytea,
  -- When something in the queue next comes due, as far as is known; null: nothing does. From then on the queue may not
  -- lose what is in it before somebody has looked what came due.
  look_at timestamptz,
  -- Grows when something elsewhere changes the inbox the device shows: what was computed from an older one may be
  -- answered, but not answered again.
  inbox_version bigint NOT NULL DEFAULT 0,
  CONSTRAINT device_syncs_pkey PRIMARY KEY (tenant_id, device_id),
  CONSTRAINT device_syncs_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE
) WITH (fillfactor = 70);

ALTER TABLE carillon.device_syncs ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.device_syncs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.device_syncs
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.device_syncs TO carillon_app;
GRANT SELECT ON carillon.device_syncs TO carillon_operator;
-- Whoever tidies up a device waits for its writers, and they for him: a lock needs the right to change something.
GRANT SELECT ON carillon.devices TO carillon_worker;
GRANT SELECT, UPDATE (row_version) ON carillon.device_syncs TO carillon_worker;
