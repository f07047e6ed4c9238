DROP FUNCTION carillon.displace_device(uuid, uuid, timestamptz, text, uuid, text, text, text);
DROP FUNCTION carillon.settle_identity(uuid, uuid, bigint, bigint, uuid);
DROP FUNCTION carillon.take_over_device(uuid, uuid, bigint);
DROP TABLE carillon.identity_claims;
ALTER TABLE carillon.devices
  DROP COLUMN superseded_at,
  DROP COLUMN superseded_by,
  DROP COLUMN forked_from;
