DROP FUNCTION carillon.record_history(uuid, uuid, timestamptz, jsonb);
DROP TABLE carillon.device_truths;
DROP TABLE carillon.deliveries;
DROP TABLE carillon.device_changes;
