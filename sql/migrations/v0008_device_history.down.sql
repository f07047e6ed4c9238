DROP FUNCTION carillon.record_history(uuid, uuid, timestamptz, jsonb);
