DROP FUNCTION carillon.keep_queue_answer(
  uuid, uuid, text[], text[], timestamptz, text, text, bytea, integer, text, bytea, bytea, timestamptz, integer
);
DROP FUNCTION carillon.keep_answer(
  uuid, uuid, timestamptz, text, text, bytea, integer, text, bytea, timestamptz, integer
);
DROP TABLE carillon.tenant_idempotency_keys;
DROP TABLE carillon.device_idempotency_keys;
