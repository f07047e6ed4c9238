-- What writes with an Idempotency-Key were answered, for those that come again. Each row is written in the transaction
-- of its effect, and is of no use after a day.

CREATE TABLE carillon.device_idempotency_keys (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  -- Whose key it is: 'key:' and the id of a tenant key, or 'device', the device itself.
  principal text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- SHA-256 of what makes a request the same one.
  fingerprint bytea NOT NULL,
  -- Null of a batch: the body is then what became of this device's operations.
  status smallint,
  entity_tag text,
  -- The answer's, byte for byte.
  body bytea COMPRESSION lz4 NOT NULL,
  answered_at timestamptz NOT NULL,
  CONSTRAINT device_idempotency_keys_pkey PRIMARY KEY (tenant_id, device_id, principal, key),
  CONSTRAINT device_idempotency_keys_device_fkey FOREIGN KEY (tenant_id, device_id)
    REFERENCES carillon.devices ON DELETE CASCADE,
  CONSTRAINT device_idempotency_keys_key_check CHECK (octet_length(key) BETWEEN 1 AND 255),
  CONSTRAINT device_idempotency_keys_fingerprint_check CHECK (octet_length(fingerprint) = 32),
  CONSTRAINT device_idempotency_keys_status_check CHECK (status BETWEEN 200 AND 499)
);

-- A tenant's key is looked for on all devices: the same one for two requests is a mistake to be told.
CREATE INDEX device_idempotency_keys_key ON carillon.device_idempotency_keys (tenant_id, principal, key);
-- For the purge.
CREATE INDEX device_idempotency_keys_age ON carillon.device_idempotency_keys (tenant_id, answered_at);

ALTER TABLE carillon.device_idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.device_idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.device_idempotency_keys
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.device_idempotency_keys TO carillon_app;
GRANT SELECT, DELETE ON carillon.device_idempotency_keys TO carillon_operator;
-- Which are old, and not what they say.
GRANT SELECT (tenant_id, device_id, principal, key, answered_at), DELETE ON carillon.device_idempotency_keys
  TO carillon_worker;

-- Of requests that are about no device, or must be known when the device is gone.
CREATE TABLE carillon.tenant_idempotency_keys (
  tenant_id uuid NOT NULL,
  principal text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  -- Null of a batch: what became of it stands with its devices.
  status smallint,
  entity_tag text,
  body bytea COMPRESSION lz4 NOT NULL,
  answered_at timestamptz NOT NULL,
  CONSTRAINT tenant_idempotency_keys_pkey PRIMARY KEY (tenant_id, principal, key),
  CONSTRAINT tenant_idempotency_keys_tenant_fkey FOREIGN KEY (tenant_id)
    REFERENCES carillon.tenants ON DELETE CASCADE,
  CONSTRAINT tenant_idempotency_keys_key_check CHECK (octet_length(key) BETWEEN 1 AND 255),
  CONSTRAINT tenant_idempotency_keys_fingerprint_check CHECK (octet_length(fingerprint) = 32),
  CONSTRAINT tenant_idempotency_keys_status_check CHECK (status BETWEEN 200 AND 499),
  -- What a write makes of a key that is in use: so it fails, with all that its transaction did.
  CONSTRAINT tenant_idempotency_keys_use_check CHECK (answered_at < 'infinity')
);

COMMENT ON TABLE carillon.tenant_idempotency_keys IS 'dist:tenant_id';

CREATE INDEX tenant_idempotency_keys_age ON carillon.tenant_idempotency_keys (tenant_id, answered_at);

ALTER TABLE carillon.tenant_idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.tenant_idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.tenant_idempotency_keys
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.tenant_idempotency_keys TO carillon_app;
GRANT SELECT, DELETE ON carillon.tenant_idempotency_keys TO carillon_operator;
GRANT SELECT (tenant_id, principal, key, answered_at), DELETE ON carillon.tenant_idempotency_keys TO carillon_worker;

-- Keeps an answer in the transaction of its effect. Fails with CA002 when the key is in use, and so undoes the effect.
-- A key that was answered by p_live_since is free again; of more keys than p_most the oldest go.
CREATE FUNCTION carillon.keep_answer(
  p_tenant uuid, p_device uuid, p_now timestamptz, p_principal text, p_key text, p_fingerprint bytea,
  p_status integer, p_entity_tag text, p_body bytea, p_live_since timestamptz, p_most integer
) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO carillon.device_idempotency_keys AS k (
    tenant_id, device_id, principal, key, fingerprint, status, entity_tag, body, answered_at
  )
  VALUES (
    p_tenant, p_device, p_principal, p_key, p_fingerprint, p_status, p_entity_tag, p_body, p_now
  )
  ON CONFLICT (tenant_id, device_id, principal, key) DO UPDATE
    SET
      fingerprint = excluded.fingerprint, status = excluded.status, entity_tag = excluded.entity_tag,
      body = excluded.body, answered_at = excluded.answered_at
    WHERE k.answered_at <= p_live_since;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the idempotency key is in use' USING ERRCODE = 'CA002';
  END IF;
  DELETE FROM carillon.device_idempotency_keys AS k
  WHERE k.tenant_id = p_tenant AND k.device_id = p_device AND (k.principal, k.key) IN (
    SELECT old.principal, old.key
    FROM carillon.device_idempotency_keys AS old
    WHERE old.tenant_id = p_tenant AND old.device_id = p_device
    ORDER BY old.answered_at DESC, old.principal, old.key
    OFFSET p_most
  );
END
$function$;

-- The same after a change of the queue: p_words is what it answered, p_foreseen what the answer was written for, null
-- where it takes the words in. Nothing is kept of a change that did nothing; one that did something else is undone by
-- the same error.
CREATE FUNCTION carillon.keep_queue_answer(
  p_tenant uuid, p_device uuid, p_words text[], p_foreseen text[], p_now timestamptz, p_principal text, p_key text,
  p_fingerprint bytea, p_status integer, p_entity_tag text, p_body bytea, p_tail bytea, p_live_since timestamptz,
  p_most integer
) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  IF p_words = ARRAY['lookFirst'] OR p_words[1] = 'otherUser' THEN
    RETURN;
  END IF;
  IF p_words <> p_foreseen THEN
    IF p_words <@ ARRAY['absent', 'queueFull'] THEN
      RETURN;
    END IF;
    RAISE EXCEPTION 'the device has changed' USING ERRCODE = 'CA002';
  END IF;
  PERFORM carillon.keep_answer(
    p_tenant, p_device, p_now, p_principal, p_key, p_fingerprint, p_status, p_entity_tag,
    CASE
      WHEN p_foreseen IS NULL THEN p_body || convert_to(array_to_string(p_words, ','), 'UTF8') || p_tail
      ELSE p_body
    END,
    p_live_since, p_most
  );
END
$function$;

REVOKE ALL ON FUNCTION
  carillon.keep_answer(
    uuid, uuid, timestamptz, text, text, bytea, integer, text, bytea, timestamptz, integer),
  carillon.keep_queue_answer(
    uuid, uuid, text[], text[], timestamptz, text, text, bytea, integer, text, bytea, bytea, timestamptz, integer)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  carillon.keep_answer(
    uuid, uuid, timestamptz, text, text, bytea, integer, text, bytea, timestamptz, integer),
  carillon.keep_queue_answer(
    uuid, uuid, text[], text[], timestamptz, text, text, bytea, integer, text, bytea, bytea, timestamptz, integer)
TO carillon_app;
