DROP FUNCTION carillon.answer_priming(uuid, uuid, timestamptz, bigint, jsonb);
DROP FUNCTION carillon.record_priming(uuid, uuid, timestamptz, jsonb);
DROP TABLE carillon.priming_steps;
DROP TABLE carillon.device_priming;
