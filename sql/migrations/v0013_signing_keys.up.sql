-- The keys that sign device tokens: per tenant, made when its first token is, replaced when an operator retires them.

CREATE TABLE carillon.signing_keys (
  tenant_id uuid NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  -- The 32 random bytes, sealed under the master key for this row alone.
  sealed_secret bytea NOT NULL,
  -- The fingerprint of that master key.
  master_key text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  -- From then on its tokens are refused, and already now it signs no more; null: this one signs.
  retires_at timestamptz,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (tenant_id, key_id),
  -- Not led by tenant_id: it serves the look-up, which has only the key's id.
  CONSTRAINT signing_keys_key_id_key UNIQUE (key_id),
  CONSTRAINT signing_keys_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES carillon.tenants ON DELETE CASCADE,
  CONSTRAINT signing_keys_key_id_check CHECK (key_id ~ '^[a-z2-7]{12}$'),
  CONSTRAINT signing_keys_sealed_secret_check CHECK (octet_length(sealed_secret) BETWEEN 29 AND 256),
  CONSTRAINT signing_keys_master_key_check CHECK (master_key ~ '^[0-9a-f]{16}$')
);

-- Two servers that both make a tenant's first key end with one.
CREATE UNIQUE INDEX signing_keys_current ON carillon.signing_keys (tenant_id) WHERE retires_at IS NULL;

ALTER TABLE carillon.signing_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.signing_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.signing_keys
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY key_lookup ON carillon.signing_keys FOR SELECT TO carillon_auth USING (true);

GRANT SELECT, INSERT ON carillon.signing_keys TO carillon_app;
GRANT SELECT, UPDATE, DELETE ON carillon.signing_keys TO carillon_operator;
GRANT SELECT ON carillon.signing_keys TO carillon_auth;

-- As carillon.key_lookup.
CREATE FUNCTION carillon.signing_key_lookup(p_key_id text)
RETURNS TABLE (
  r_tenant_id uuid, r_key_id text, r_sealed_secret bytea, r_master_key text, r_created_at timestamptz,
  r_retires_at timestamptz, r_status text
)
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  v_key carillon.signing_keys;
  v_setting text := coalesce(current_setting('app.tenant_id', true), '');
BEGIN
  SELECT k.* INTO v_key FROM carillon.signing_keys AS k WHERE k.key_id = p_key_id;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM set_config('app.tenant_id', v_key.tenant_id::text, true);
  RETURN QUERY
    SELECT
      v_key.tenant_id, v_key.key_id, v_key.sealed_secret, v_key.master_key, v_key.created_at, v_key.retires_at,
      t.status
    FROM carillon.tenants AS t
    WHERE t.tenant_id = v_key.tenant_id;
  PERFORM set_config('app.tenant_id', v_setting, true);
END
$function$;

REVOKE ALL ON FUNCTION carillon.signing_key_lookup(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.signing_key_lookup(text) TO carillon_app;

-- A new owner must be allowed to create in the schema at the moment of the change.
GRANT CREATE ON SCHEMA carillon TO carillon_auth;
ALTER FUNCTION carillon.signing_key_lookup(text) OWNER TO carillon_auth;
REVOKE CREATE ON SCHEMA carillon FROM carillon_auth;
