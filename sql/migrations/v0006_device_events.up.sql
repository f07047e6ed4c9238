-- What happened on a device, each event once.

CREATE TABLE carillon.device_events (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  notification_id text COLLATE "C",
  -- Of a value action.
  name text,
  -- By the device's clock: information, never an order.
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  CONSTRAINT device_events_pkey PRIMARY KEY (tenant_id, device_id, event_id),
  CONSTRAINT device_events_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE
);

ALTER TABLE carillon.device_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.device_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.device_events
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, DELETE ON carillon.device_events TO carillon_app;
GRANT SELECT ON carillon.device_events TO carillon_operator;
GRANT SELECT, DELETE ON carillon.device_events TO carillon_worker;
