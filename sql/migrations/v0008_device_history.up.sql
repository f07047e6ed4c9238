-- What a sync adds to a device's history.

-- Called by carillon.apply_sync, in the transaction of the sync and behind its guard.
CREATE FUNCTION carillon.record_history(p_tenant uuid, p_device uuid, p_now timestamptz, p_history jsonb) RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  NULL;
END
$function$;

REVOKE ALL ON FUNCTION carillon.record_history(uuid, uuid, timestamptz, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.record_history(uuid, uuid, timestamptz, jsonb) TO carillon_app;
