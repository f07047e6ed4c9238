DROP FUNCTION carillon.change_queue(
  uuid, uuid, timestamptz, text[], bytea[], bytea[], text[], integer, timestamptz, boolean, text[]
);
DROP FUNCTION carillon.put_entries(uuid, uuid, timestamptz, bigint, text, text[], bytea[], bytea[], text[]);
DROP TABLE carillon.notifications;
