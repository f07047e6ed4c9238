DROP FUNCTION carillon.next_tenant(uuid);
DROP FUNCTION carillon.key_lookup(text);
REVOKE ALL ON carillon.tenants FROM carillon_auth;
DROP TABLE carillon.api_keys;
