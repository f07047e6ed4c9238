DROP FUNCTION carillon.record_inbox(uuid, uuid, timestamptz, jsonb);
