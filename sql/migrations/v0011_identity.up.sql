-- Which installation something belongs to that only one can have: a phone's key, a push token, and the new id of a
-- restored copy.

ALTER TABLE carillon.devices
  -- The installation whose id its store was copied with.
  ADD COLUMN forked_from uuid,
  -- Since when a newer installation on the same phone has followed; null while this one lives.
  ADD COLUMN superseded_at timestamptz,
  -- Which one that is; null also when it has been erased.
  ADD COLUMN superseded_by uuid,
  ADD CONSTRAINT devices_superseded_check CHECK (superseded_by IS NULL OR superseded_at IS NOT NULL);

-- For erasing a device: who names it. Few devices name another one.
CREATE INDEX devices_forked_from ON carillon.devices (tenant_id, forked_from) WHERE forked_from IS NOT NULL;
CREATE INDEX devices_superseded_by ON carillon.devices (tenant_id, superseded_by) WHERE superseded_by IS NOT NULL;

-- Unique over all devices of a tenant, which no table of devices can be where they are spread over nodes: so it has
-- its own key, and what changes it touches a second place in its transaction. Rarely written: at first reports, and
-- when a key or a token changes.
CREATE TABLE carillon.identity_claims (
  tenant_id uuid NOT NULL,
  -- What is claimed, with its kind before it; the store knows the form.
  claim text COLLATE "C" NOT NULL,
  holder uuid NOT NULL,
  claimed_at timestamptz NOT NULL,
  CONSTRAINT identity_claims_pkey PRIMARY KEY (tenant_id, claim),
  CONSTRAINT identity_claims_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES carillon.tenants ON DELETE CASCADE,
  CONSTRAINT identity_claims_claim_check CHECK (octet_length(claim) BETWEEN 1 AND 2048),
  -- What a move writes that finds another holder than it was computed from.
  CONSTRAINT identity_claims_race_check CHECK (claimed_at < 'infinity')
);

COMMENT ON TABLE carillon.identity_claims IS 'dist:claim';

-- For erasing a device.
CREATE INDEX identity_claims_holder ON carillon.identity_claims (tenant_id, holder);

ALTER TABLE carillon.identity_claims ENABLE ROW LEVEL SECURITY;
ALTER TABLE carillon.identity_claims FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON carillon.identity_claims
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON carillon.identity_claims TO carillon_app;
GRANT SELECT ON carillon.identity_claims TO carillon_operator;

-- The next two stand around carillon.apply_sync in its transaction, and undo all of it by the error CA001 when the
-- device is not as it was loaded.

-- Another phone takes the id over, long after the last report of the first: its reports begin at any sequence, and
-- what the first was asked and answered is not its own.
CREATE FUNCTION carillon.take_over_device(p_tenant uuid, p_device uuid, p_expected bigint) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE carillon.device_syncs
  SET row_version = row_version + 1, sequence = NULL, report_digest = NULL
  WHERE tenant_id = p_tenant AND device_id = p_device AND row_version = p_expected;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the device has changed' USING ERRCODE = 'CA001';
  END IF;
  DELETE FROM carillon.priming_steps WHERE tenant_id = p_tenant AND device_id = p_device;
  DELETE FROM carillon.device_priming WHERE tenant_id = p_tenant AND device_id = p_device;
END
$function$;

REVOKE ALL ON FUNCTION carillon.take_over_device(uuid, uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.take_over_device(uuid, uuid, bigint) TO carillon_app;

-- The device that reports lives. p_row_version and p_sequence: as the sync has left them.
CREATE FUNCTION carillon.settle_identity(
  p_tenant uuid, p_device uuid, p_row_version bigint, p_sequence bigint, p_forked_from uuid
) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM carillon.device_syncs
  WHERE tenant_id = p_tenant AND device_id = p_device AND row_version = p_row_version AND sequence = p_sequence;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the device has changed' USING ERRCODE = 'CA001';
  END IF;
  UPDATE carillon.devices
  SET superseded_by = NULL, superseded_at = NULL, forked_from = coalesce(p_forked_from, forked_from)
  WHERE tenant_id = p_tenant AND device_id = p_device AND (superseded_at IS NOT NULL OR p_forked_from IS NOT NULL);
END
$function$;

REVOKE ALL ON FUNCTION carillon.settle_identity(uuid, uuid, bigint, bigint, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.settle_identity(uuid, uuid, bigint, bigint, uuid) TO carillon_app;

-- Another installation has claimed what this one had: the phone (p_superseded_by and p_device_key), and the push token
-- goes with it, or the push token alone. Does nothing where the device has something else by now. Its next report is
-- read whole, so that it claims anew what is its own.
CREATE FUNCTION carillon.displace_device(
  p_tenant uuid, p_device uuid, p_now timestamptz, p_bundle_id text, p_superseded_by uuid, p_device_key text,
  p_push_token text, p_push_environment text
) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  -- All writers of a device wait here for each other.
  PERFORM FROM carillon.device_syncs
  WHERE tenant_id = p_tenant AND device_id = p_device
  FOR UPDATE;
  UPDATE carillon.devices
  SET
    push_token = NULL, push_environment = NULL, updated_at = p_now,
    superseded_by = coalesce(p_superseded_by, superseded_by),
    superseded_at = CASE WHEN p_superseded_by IS NULL THEN superseded_at ELSE p_now END
  WHERE tenant_id = p_tenant AND device_id = p_device AND coalesce(bundle_id, '') = p_bundle_id
    AND (device_key = p_device_key OR push_token = p_push_token AND push_environment = p_push_environment);
  IF FOUND THEN
    UPDATE carillon.device_syncs
    SET row_version = row_version + 1, report_digest = NULL
    WHERE tenant_id = p_tenant AND device_id = p_device;
  END IF;
END
$function$;

REVOKE ALL ON FUNCTION carillon.displace_device(uuid, uuid, timestamptz, text, uuid, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.displace_device(uuid, uuid, timestamptz, text, uuid, text, text, text)
  TO carillon_app;
