-- What a sync changes of the inbox.

-- Called by carillon.apply_sync, in the transaction of the sync and behind its guard.
CREATE FUNCTION carillon.record_inbox(p_tenant uuid, p_device uuid, p_now timestamptz, p_inbox jsonb) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  NULL;
END
$function$;

REVOKE ALL ON FUNCTION carillon.record_inbox(uuid, uuid, timestamptz, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.record_inbox(uuid, uuid, timestamptz, jsonb) TO carillon_app;
