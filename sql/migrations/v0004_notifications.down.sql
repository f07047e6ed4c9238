DROP FUNCTION carillon.change_queue(uuid, uuid, timestamptz, text[], bytea[], bytea[], text[], integer);
DROP TABLE carillon.notifications;
