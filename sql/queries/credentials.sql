-- name: credentials_listen
LISTEN carillon_credentials;

-- name: credentials_announce
-- To every server, when the transaction commits: what is remembered of credentials is no longer true.
SELECT pg_notify('carillon_credentials', '');
