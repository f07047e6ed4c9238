-- Tenant keys, and the ways past row security: who a key belongs to is not known before it is looked up, and who has
-- keys is not known to whoever tidies up after all.

CREATE TABLE carillon.api_keys (
  tenant_id uuid NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  -- SHA-256 of the secret: 256 random bits, so no salt and no stretching.
  secret_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  CONSTRAINT api_keys_pkey PRIMARY KEY (tenant_id, key_id),
  -- Not led by tenant_id: it serves the look-up, which has only the key's id.
  CONSTRAINT api_keys_key_id_key UNIQUE (key_id),
  CONSTRAINT api_keys_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES carillon.tenants ON DELETE CASCADE,
  CONSTRAINT api_keys_key_id_check CHECK (key_id ~ '^[A-Za-z0-9]{1,64}$'),
  CONSTRAINT api_keys_secret_hash_check CHECK (octet_length(secret_hash) = 32),
  CONSTRAINT api_keys_scopes_check
    CHECK (scopes <@ ARRAY['devices', 'notifications', 'policy', 'reports'])
);

ALTER TABLE carillon.api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.api_keys
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY key_lookup ON carillon.api_keys FOR SELECT TO carillon_auth USING (true);

-- The server reads keys by the look-up alone.
GRANT SELECT, INSERT, UPDATE ON carillon.api_keys TO carillon_operator;
GRANT SELECT ON carillon.api_keys, carillon.tenants TO carillon_auth;

-- The tenant is read under its own row policy, as everything is. The setting is put back, so that a look-up in the
-- middle of another tenant's transaction changes nothing there.
CREATE FUNCTION carillon.key_lookup(p_key_id text)
RETURNS TABLE (
  r_tenant_id uuid, r_name text, r_status text, r_policy_version integer, r_key_id text, r_secret_hash bytea,
  r_scopes text[], r_created_at timestamptz, r_expires_at timestamptz, r_revoked_at timestamptz
)
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  v_key carillon.api_keys;
  v_setting text := coalesce(current_setting('app.tenant_id', true), '');
BEGIN
  SELECT k.* INTO v_key FROM carillon.api_keys AS k WHERE k.key_id = p_key_id;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM set_config('app.tenant_id', v_key.tenant_id::text, true);
  RETURN QUERY
    SELECT
      t.tenant_id, t.name, t.status, t.policy_version, v_key.key_id, v_key.secret_hash, v_key.scopes,
      v_key.created_at, v_key.expires_at, v_key.revoked_at
    FROM carillon.tenants AS t
    WHERE t.tenant_id = v_key.tenant_id;
  PERFORM set_config('app.tenant_id', v_setting, true);
END
$function$;

-- The tenant after p_after of those that ever had a key, in the order of ids: for the work that goes through all of
-- them, one after the other and each under its own row policy.
CREATE FUNCTION carillon.next_tenant(p_after uuid) RETURNS uuid
LANGUAGE sql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
  SELECT k.tenant_id FROM carillon.api_keys AS k WHERE k.tenant_id > p_after ORDER BY k.tenant_id LIMIT 1
$function$;

REVOKE ALL ON FUNCTION carillon.key_lookup(text), carillon.next_tenant(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.key_lookup(text) TO carillon_app;
GRANT EXECUTE ON FUNCTION carillon.next_tenant(uuid) TO carillon_worker;

-- A new owner must be allowed to create in the schema at the moment of the change.
GRANT CREATE ON SCHEMA carillon TO carillon_auth;
ALTER FUNCTION carillon.key_lookup(text) OWNER TO carillon_auth;
ALTER FUNCTION carillon.next_tenant(uuid) OWNER TO carillon_auth;
REVOKE CREATE ON SCHEMA carillon FROM carillon_auth;
