-- name: identity_claims_holders
SELECT claim, holder
FROM carillon.identity_claims
WHERE tenant_id = $1 AND claim = ANY ($2);

-- name: identity_claims_insert
-- Fails when somebody was faster: then all of the transaction is undone.
INSERT INTO carillon.identity_claims (tenant_id, claim, holder, claimed_at)
VALUES ($1, $2, $3, $4);

-- name: identity_claims_move
-- From $5. Fails when somebody else has it by now: then all of the transaction is undone.
INSERT INTO carillon.identity_claims AS c (tenant_id, claim, holder, claimed_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (tenant_id, claim) DO UPDATE SET
  holder = excluded.holder,
  claimed_at = CASE WHEN c.holder = $5 THEN excluded.claimed_at ELSE 'infinity' END;

-- name: identity_claims_release
DELETE FROM carillon.identity_claims
WHERE tenant_id = $1 AND claim = $2 AND holder = $3;

-- name: identity_claims_erase
-- What an erased device held, and the new ids of its copies; $3 and $4 bound the claims that begin with its id.
DELETE FROM carillon.identity_claims
WHERE tenant_id = $1 AND (holder = $2 OR claim >= $3 AND claim < $4);

-- name: identity_unlink
-- Lets no other device name one that is erased. Whom it has followed stays superseded.
UPDATE carillon.devices
SET forked_from = nullif(forked_from, $2), superseded_by = nullif(superseded_by, $2)
WHERE tenant_id = $1 AND (forked_from = $2 OR superseded_by = $2);

-- name: identity_take_over
SELECT carillon.take_over_device($1, $2, $3);

-- name: identity_settle
SELECT carillon.settle_identity($1, $2, $3, $4, $5);

-- name: identity_displace
SELECT carillon.displace_device($1, $2, $3, $4, $5, $6, $7, $8);
