DROP FUNCTION carillon.purge_device(uuid, uuid, timestamptz, timestamptz, date);
DROP TABLE carillon.report_counts;
DROP TABLE carillon.report_days;
DROP FUNCTION carillon.record_evictions(uuid, uuid, timestamptz, jsonb);
DROP TABLE carillon.device_evictions;
