-- Tenants and their policies: reference tables, small and rarely written.

GRANT USAGE ON SCHEMA carillon TO carillon_app, carillon_operator, carillon_worker, carillon_auth;
GRANT SELECT ON carillon.schema_migrations TO carillon_app, carillon_operator, carillon_worker;

CREATE TABLE carillon.tenants (
  tenant_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'active',
  -- The current policy; 0 before the first.
  policy_version integer NOT NULL DEFAULT 0,
  -- How long an inbox keeps an item, and how many items at most.
  inbox_days integer NOT NULL DEFAULT 90,
  inbox_items integer NOT NULL DEFAULT 500,
  -- How much one server takes from the tenant, from each of its devices, and in batches.
  requests_per_second integer NOT NULL DEFAULT 10000,
  request_burst integer NOT NULL DEFAULT 20000,
  device_requests_per_second integer NOT NULL DEFAULT 50,
  device_request_burst integer NOT NULL DEFAULT 500,
  batch_operations_per_second integer NOT NULL DEFAULT 20000,
  -- How much there may be of it.
  devices integer NOT NULL DEFAULT 10000000,
  notifications_per_device integer NOT NULL DEFAULT 1000,
  policy_bytes integer NOT NULL DEFAULT 262144,
  created_at timestamptz NOT NULL,
  -- What is kept for a time is held against this clock where the server's is ahead of it. It follows the server's, a day
  -- an hour at most, and was last moved when the server's stood there.
  retention_at timestamptz NOT NULL,
  retention_moved_at timestamptz NOT NULL,
  CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id),
  -- Not led by tenant_id: a name is how an operator finds the tenant.
  CONSTRAINT tenants_name_key UNIQUE (name),
  CONSTRAINT tenants_name_check CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  CONSTRAINT tenants_status_check CHECK (status IN ('active', 'suspended')),
  CONSTRAINT tenants_policy_version_check CHECK (policy_version >= 0),
  CONSTRAINT tenants_inbox_days_check CHECK (inbox_days BETWEEN 1 AND 3650),
  CONSTRAINT tenants_inbox_items_check CHECK (inbox_items BETWEEN 1 AND 10000),
  CONSTRAINT tenants_requests_check CHECK (
    requests_per_second BETWEEN 1 AND 1000000 AND request_burst BETWEEN 1 AND 1000000
    AND device_requests_per_second BETWEEN 1 AND 1000000 AND device_request_burst BETWEEN 1 AND 1000000
    AND batch_operations_per_second BETWEEN 1 AND 1000000
  ),
  CONSTRAINT tenants_quotas_check CHECK (
    devices BETWEEN 0 AND 1000000000 AND notifications_per_device BETWEEN 0 AND 1000
    AND policy_bytes BETWEEN 2 AND 262144
  )
);

ALTER TABLE carillon.tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.tenants FORCE ROW LEVEL SECURITY;
-- Without nullif a connection on which a local setting has ended would raise an error: it then reads ''.
CREATE POLICY tenant_isolation ON carillon.tenants
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, UPDATE (policy_version, retention_at, retention_moved_at) ON carillon.tenants TO carillon_app;
GRANT SELECT, INSERT, UPDATE ON carillon.tenants TO carillon_operator;
GRANT SELECT, UPDATE (retention_at, retention_moved_at) ON carillon.tenants TO carillon_worker;

CREATE TABLE carillon.policies (
  tenant_id uuid NOT NULL,
  version integer NOT NULL,
  -- The JSON as it was put, byte for byte.
  document bytea COMPRESSION lz4 NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT policies_pkey PRIMARY KEY (tenant_id, version),
  CONSTRAINT policies_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES carillon.tenants ON DELETE CASCADE,
  CONSTRAINT policies_version_check CHECK (version >= 1)
);

ALTER TABLE carillon.policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.policies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.policies
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT ON carillon.policies TO carillon_app, carillon_operator;
GRANT SELECT, DELETE ON carillon.policies TO carillon_worker;
