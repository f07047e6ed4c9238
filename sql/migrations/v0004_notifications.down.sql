DROP FUNCTION carillon.change_queue(
  uuid, uuid, timestamptz, text[], bytea[], bytea[], text[], integer, timestamptz, boolean, text[],
  timestamptz[]
);
DROP FUNCTION carillon.put_entries(uuid, uuid, timestamptz, bigint, text, text[], bytea[], bytea[], timestamptz[], text[]);
DROP TABLE carillon.notifications;
