-- The last plan of each device.

CREATE TABLE carillon.plans (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  version integer NOT NULL,
  policy_version integer NOT NULL,
  -- The IANA release the fire times come from.
  zone_data text NOT NULL,
  -- Of the document without its version.
  digest bigint NOT NULL,
  computed_at timestamptz NOT NULL,
  -- The ids that may be pending on the device because a plan once named them.
  sent text[] COMPRESSION lz4 NOT NULL,
  -- The plan in the form of our own code, without contents.
  document bytea COMPRESSION lz4 NOT NULL,
  -- The first fire of what it holds; null: nothing of it has one.
  next_fire_at timestamptz,
  -- What was delivered lately, and what may have been without anybody knowing yet. Empty: nothing.
  deliveries bytea COMPRESSION lz4 NOT NULL DEFAULT '',
  CONSTRAINT plans_pkey PRIMARY KEY (tenant_id, device_id),
  CONSTRAINT plans_device_fkey FOREIGN KEY (tenant_id, device_id) REFERENCES carillon.devices ON DELETE CASCADE,
  CONSTRAINT plans_version_check CHECK (version >= 1)
) WITH (fillfactor = 70);

-- Beside the rest, if they fit in a page: each report that brings news reads and writes them.
ALTER TABLE carillon.plans ALTER COLUMN sent SET STORAGE MAIN;
ALTER TABLE carillon.plans ALTER COLUMN document SET STORAGE MAIN;

ALTER TABLE carillon.plans ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.plans FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.plans
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.plans TO carillon_app;
GRANT SELECT ON carillon.plans TO carillon_operator;
