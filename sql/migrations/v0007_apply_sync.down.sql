DROP FUNCTION carillon.apply_sync(
  uuid, uuid, timestamptz, bigint, bigint, jsonb, bytea, integer, integer, bigint, timestamptz, integer, bytea, text[],
  text[], bytea[], bytea[], integer, integer, text, bigint, text[], bytea, timestamptz, bytea, text[], text[], text[], text[],
  timestamptz[], timestamptz, jsonb, jsonb, jsonb, timestamptz, bigint,
  timestamptz[]
);
