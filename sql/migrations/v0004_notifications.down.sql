DROP FUNCTION carillon.change_queue(
  uuid, uuid, timestamptz, text[], bytea[], bytea[], text[], integer, timestamptz, boolean, text[]
);
DROP TABLE carillon.notifications;
