DROP FUNCTION carillon.signing_key_lookup(text);
DROP TABLE carillon.signing_keys;
