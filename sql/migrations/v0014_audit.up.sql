-- What operators and keys did, and the life of a tenant: what is written here stays.

ALTER TABLE carillon.tenants
  DROP CONSTRAINT tenants_status_check,
  -- Importing: not whole yet. Deleting: not whole any more, and never again.
  ADD CONSTRAINT tenants_status_check CHECK (status IN ('active', 'suspended', 'importing', 'deleting'));

CREATE TABLE carillon.audit_log (
  -- Whom it happened to; all zeros: the installation, no tenant or none any more.
  tenant_id uuid NOT NULL,
  at timestamptz NOT NULL,
  entry_id uuid NOT NULL,
  -- 'operator': somebody with the database's door; 'key': a tenant key.
  actor_kind text NOT NULL,
  -- An operator's name as the command was told it, a key's id.
  actor text NOT NULL,
  -- Whom the database took the operator for; null: a key's action.
  login text,
  -- Noun and verb: 'key.create'.
  action text COLLATE "C" NOT NULL,
  -- What it was done to: a key's id, a policy's version. Never a device, a user or a secret.
  subject text,
  details jsonb NOT NULL,
  CONSTRAINT audit_log_pkey PRIMARY KEY (tenant_id, at, entry_id),
  CONSTRAINT audit_log_actor_kind_check CHECK (actor_kind IN ('operator', 'key')),
  CONSTRAINT audit_log_login_check CHECK ((login IS NOT NULL) = (actor_kind = 'operator')),
  CONSTRAINT audit_log_action_check CHECK (action ~ '^[a-z]+\.[a-zA-Z]+$'),
  CONSTRAINT audit_log_details_check CHECK (jsonb_typeof(details) = 'object')
);

ALTER TABLE carillon.audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.audit_log
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

-- Nobody changes an entry or takes one away, its owner neither.
REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES ON carillon.audit_log FROM carillon_owner;
GRANT INSERT ON carillon.audit_log TO carillon_app;
GRANT SELECT, INSERT ON carillon.audit_log TO carillon_operator;
GRANT SELECT, DELETE ON carillon.audit_log TO carillon_eraser;
GRANT USAGE ON SCHEMA carillon TO carillon_eraser;
GRANT SELECT (tenant_id, status) ON carillon.tenants TO carillon_eraser;

-- From here on this transaction is in a tenant of that status; answers in which it was, to be set again at the end.
CREATE FUNCTION carillon.enter_tenant(p_tenant uuid, p_status text) RETURNS text
LANGUAGE plpgsql
AS $function$
DECLARE
  v_setting text := coalesce(current_setting('app.tenant_id', true), '');
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant::text, true);
  IF NOT EXISTS (SELECT FROM carillon.tenants AS t WHERE t.tenant_id = p_tenant AND t.status = p_status) THEN
    RAISE EXCEPTION 'the tenant is not %', p_status USING ERRCODE = 'CA002';
  END IF;
  RETURN v_setting;
END
$function$;

-- A tenant's entries go with it, up to p_limit at a time. Answers how many went.
CREATE FUNCTION carillon.erase_audit(p_tenant uuid, p_limit integer) RETURNS bigint
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  v_setting text := carillon.enter_tenant(p_tenant, 'deleting');
  v_gone bigint;
BEGIN
  DELETE FROM carillon.audit_log AS a
  WHERE a.tenant_id = p_tenant AND (a.at, a.entry_id) IN (
    SELECT o.at, o.entry_id FROM carillon.audit_log AS o WHERE o.tenant_id = p_tenant LIMIT p_limit
  );
  GET DIAGNOSTICS v_gone = ROW_COUNT;
  PERFORM set_config('app.tenant_id', v_setting, true);
  RETURN v_gone;
END
$function$;

-- The tables that hold tenants' rows, those that others lead to last: rows may go in this order and come in the
-- other. Tells what a primary key consists of and which columns there are beside the tenant's id, as SQL names.
CREATE FUNCTION carillon.tenant_tables() RETURNS TABLE (
  r_place bigint, r_table text, r_key text, r_columns text, r_names text[]
)
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
  WITH tables AS (
    SELECT
      c.oid, c.relname::text AS name,
      EXISTS (
        SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'device_id' AND NOT a.attisdropped
      ) AS has_device
    FROM pg_class AS c
    WHERE c.relnamespace = 'carillon'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND EXISTS (
        SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
      )
  )
  SELECT
    row_number() OVER (
      ORDER BY
        -- As long as there are keys their use is refused for what it is.
        CASE
          WHEN t.name = 'tenants' THEN 4
          WHEN t.name IN ('api_keys', 'signing_keys') THEN 3
          WHEN t.name = 'devices' THEN 1
          WHEN t.has_device THEN 0
          ELSE 2
        END,
        t.name
    ), t.name,
    (
      SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place)
      FROM pg_index AS i
      CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
      JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = k.number
      WHERE i.indrelid = t.oid AND i.indisprimary AND a.attname <> 'tenant_id'
    ),
    (
      SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname)
      FROM pg_attribute AS a
      WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'tenant_id'
    ),
    ARRAY(
      SELECT a.attname::text
      FROM pg_attribute AS a
      WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'tenant_id'
      ORDER BY a.attname
    )
  FROM tables AS t
$function$;

-- Up to p_limit rows of one table of a tenant that is being deleted; from a table that others lead to only when they
-- are empty. Answers which table, and how many went; nothing when only the tenant itself and its log are left.
CREATE FUNCTION carillon.delete_tenant_rows(p_tenant uuid, p_limit integer)
RETURNS TABLE (r_table text, r_rows bigint)
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  v_setting text := carillon.enter_tenant(p_tenant, 'deleting');
BEGIN
  FOR r_table IN
    SELECT t.r_table FROM carillon.tenant_tables() AS t
    WHERE t.r_table NOT IN ('tenants', 'audit_log')
    ORDER BY t.r_place
  LOOP
    EXECUTE format(
      'DELETE FROM carillon.%1$I WHERE tenant_id = $1 AND ctid = ANY (ARRAY('
        'SELECT o.ctid FROM carillon.%1$I AS o WHERE o.tenant_id = $1 LIMIT $2))',
      r_table)
    USING p_tenant, p_limit;
    GET DIAGNOSTICS r_rows = ROW_COUNT;
    IF r_rows > 0 THEN
      RETURN NEXT;
      EXIT;
    END IF;
  END LOOP;
  PERFORM set_config('app.tenant_id', v_setting, true);
END
$function$;

-- How many rows a tenant has in each table.
CREATE FUNCTION carillon.count_tenant_rows(p_tenant uuid) RETURNS TABLE (r_table text, r_rows bigint)
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
  FOR r_table IN SELECT t.r_table FROM carillon.tenant_tables() AS t ORDER BY t.r_place DESC LOOP
    EXECUTE format('SELECT count(*) FROM carillon.%I WHERE tenant_id = $1', r_table) INTO r_rows USING p_tenant;
    RETURN NEXT;
  END LOOP;
END
$function$;

-- Rows of one table of a tenant as JSON, without the tenant's id, in the order of the primary key from behind p_after
-- (its columns by name; null: from the first). Answers the key of each too.
CREATE FUNCTION carillon.export_rows(p_tenant uuid, p_table text, p_after jsonb, p_limit integer)
RETURNS TABLE (r_row text, r_key jsonb)
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
-- The text shall be the same from everywhere.
SET timezone = 'UTC'
SET bytea_output = 'hex'
AS $function$
DECLARE
  v_key text;
BEGIN
  SELECT t.r_key INTO STRICT v_key FROM carillon.tenant_tables() AS t WHERE t.r_table = p_table;
  IF v_key IS NULL THEN
    -- The tenant's own row.
    RETURN QUERY EXECUTE format(
      'SELECT (to_jsonb(t) - ARRAY[''tenant_id'', ''name'', ''status''])::text, ''{}''::jsonb '
        'FROM carillon.%I AS t WHERE t.tenant_id = $1 AND $2 IS NULL',
      p_table)
    USING p_tenant, p_after;
  ELSE
    RETURN QUERY EXECUTE format(
      'SELECT (to_jsonb(t) - ''tenant_id'')::text, (SELECT to_jsonb(k) FROM (SELECT %2$s) AS k) '
        'FROM carillon.%1$I AS t '
        'WHERE t.tenant_id = $1 AND ($2 IS NULL OR (%2$s) > ('
        'SELECT %2$s FROM jsonb_populate_record(NULL::carillon.%1$I, $2))) '
        'ORDER BY %2$s LIMIT $3',
      p_table, v_key)
    USING p_tenant, p_after, p_limit;
  END IF;
END
$function$;

-- Items of one inbox in the order of their keys, from behind p_after; null: from the first.
CREATE FUNCTION carillon.inbox_part(p_tenant uuid, p_inbox uuid, p_after jsonb, p_limit integer)
RETURNS SETOF carillon.inbox_items
LANGUAGE sql
STABLE
AS $function$
  SELECT n.*
  FROM carillon.inbox_items AS n
  WHERE n.tenant_id = p_tenant AND n.inbox_id = p_inbox
    AND (
      p_after IS NULL
      OR (n.notification_id, n.wished_at) > (p_after ->> 'notification', (p_after ->> 'wish')::timestamptz)
    )
  ORDER BY n.notification_id, n.wished_at
  LIMIT p_limit
$function$;

-- The items of inboxes, under whose they are instead of the inbox's id, which is made of the tenant's: of 'devices', of
-- 'users' that devices have, or of 'formerUsers', whom they had. Of these there are few, and looking for them is long.
CREATE FUNCTION carillon.export_inbox_items(p_tenant uuid, p_of text, p_after jsonb, p_limit integer)
RETURNS TABLE (r_row text, r_key jsonb)
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
-- The text shall be the same from everywhere.
SET timezone = 'UTC'
SET bytea_output = 'hex'
AS $function$
BEGIN
  IF p_of <> 'devices' THEN
    RETURN QUERY
      SELECT
        ((to_jsonb(i) - ARRAY['tenant_id', 'inbox_id']) || jsonb_build_object('user', u.name))::text,
        jsonb_build_object('user', u.name, 'notification', i.notification_id, 'wish', i.wished_at)
      FROM (
        SELECT DISTINCT d.user_id AS name
        FROM carillon.devices AS d
        WHERE p_of = 'users' AND d.tenant_id = p_tenant AND d.user_id <> ''
        UNION ALL
        SELECT DISTINCT h.name COLLATE "C"
        FROM carillon.device_changes AS c
        CROSS JOIN LATERAL jsonb_array_elements_text(c.changes -> 'device.userId') AS h (name)
        WHERE p_of = 'formerUsers' AND c.tenant_id = p_tenant AND c.changes ? 'device.userId' AND h.name <> ''
          AND NOT EXISTS (
            SELECT FROM carillon.devices AS d WHERE d.tenant_id = p_tenant AND d.user_id = h.name COLLATE "C"
          )
      ) AS u
      CROSS JOIN LATERAL carillon.inbox_part(
        p_tenant, carillon.inbox_id(p_tenant, NULL, u.name),
        CASE WHEN u.name = p_after ->> 'user' THEN p_after END, p_limit
      ) AS i
      WHERE p_after IS NULL OR u.name >= p_after ->> 'user'
      ORDER BY u.name, i.notification_id, i.wished_at
      LIMIT p_limit;
  ELSE
    RETURN QUERY
      SELECT
        ((to_jsonb(i) - ARRAY['tenant_id', 'inbox_id']) || jsonb_build_object('device', d.device_id))::text,
        jsonb_build_object('device', d.device_id, 'notification', i.notification_id, 'wish', i.wished_at)
      FROM carillon.devices AS d
      CROSS JOIN LATERAL carillon.inbox_part(
        p_tenant, carillon.inbox_id(p_tenant, d.device_id, NULL),
        CASE WHEN d.device_id = (p_after ->> 'device')::uuid THEN p_after END, p_limit
      ) AS i
      WHERE d.tenant_id = p_tenant AND (p_after IS NULL OR d.device_id >= (p_after ->> 'device')::uuid)
      ORDER BY d.device_id, i.notification_id, i.wished_at
      LIMIT p_limit;
  END IF;
END
$function$;

-- Puts rows that were exported into a tenant that is being imported; answers how many there are now that were not.
CREATE FUNCTION carillon.import_rows(p_tenant uuid, p_table text, p_rows jsonb) RETURNS bigint
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  v_setting text := carillon.enter_tenant(p_tenant, 'importing');
  v_table text;
  v_columns text;
  v_rows jsonb := p_rows;
  v_count bigint;
BEGIN
  SELECT t.r_table, t.r_columns INTO STRICT v_table, v_columns
  FROM carillon.tenant_tables() AS t
  WHERE t.r_table = p_table AND t.r_table NOT IN ('audit_log', 'api_keys', 'signing_keys');
  IF v_table = 'tenants' THEN
    SELECT string_agg(quote_ident(m.name), ', ' ORDER BY m.name) INTO v_columns
    FROM jsonb_object_keys(p_rows -> 0) AS m (name)
    WHERE m.name NOT IN ('tenant_id', 'name', 'status');
    EXECUTE format(
      'UPDATE carillon.tenants SET (%1$s) = ('
        'SELECT %1$s FROM jsonb_populate_record(NULL::carillon.tenants, $2)) WHERE tenant_id = $1',
      v_columns)
    USING p_tenant, p_rows -> 0;
  ELSE
    IF v_table = 'inbox_items' THEN
      SELECT jsonb_agg(
        r.item || jsonb_build_object(
          'inbox_id', carillon.inbox_id(p_tenant, (r.item ->> 'device')::uuid, r.item ->> 'user')) ORDER BY r.place)
      INTO v_rows
      FROM jsonb_array_elements(p_rows) WITH ORDINALITY AS r (item, place);
    END IF;
    EXECUTE format(
      'INSERT INTO carillon.%1$I (tenant_id, %2$s) '
        'SELECT $1, %2$s FROM jsonb_populate_recordset(NULL::carillon.%1$I, $2) ON CONFLICT DO NOTHING',
      v_table, v_columns)
    USING p_tenant, v_rows;
  END IF;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  PERFORM set_config('app.tenant_id', v_setting, true);
  RETURN v_count;
END
$function$;

REVOKE ALL ON FUNCTION
  carillon.enter_tenant(uuid, text),
  carillon.erase_audit(uuid, integer),
  carillon.tenant_tables(),
  carillon.delete_tenant_rows(uuid, integer),
  carillon.count_tenant_rows(uuid),
  carillon.export_rows(uuid, text, jsonb, integer),
  carillon.inbox_part(uuid, uuid, jsonb, integer),
  carillon.export_inbox_items(uuid, text, jsonb, integer),
  carillon.import_rows(uuid, text, jsonb)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  carillon.erase_audit(uuid, integer),
  carillon.tenant_tables(),
  carillon.delete_tenant_rows(uuid, integer),
  carillon.count_tenant_rows(uuid),
  carillon.export_rows(uuid, text, jsonb, integer),
  carillon.inbox_part(uuid, uuid, jsonb, integer),
  carillon.export_inbox_items(uuid, text, jsonb, integer),
  carillon.import_rows(uuid, text, jsonb),
  carillon.inbox_id(uuid, uuid, text)
TO carillon_operator;
GRANT EXECUTE ON FUNCTION carillon.enter_tenant(uuid, text) TO carillon_eraser;

-- The tenant's last row, behind its last entries.
GRANT DELETE ON carillon.tenants TO carillon_operator;

-- A new owner must be allowed to create in the schema at the moment of the change.
GRANT CREATE ON SCHEMA carillon TO carillon_eraser;
ALTER FUNCTION carillon.erase_audit(uuid, integer) OWNER TO carillon_eraser;
REVOKE CREATE ON SCHEMA carillon FROM carillon_eraser;
