DROP TABLE carillon.policies;
DROP TABLE carillon.tenants;
REVOKE ALL ON carillon.schema_migrations FROM carillon_app, carillon_operator, carillon_worker;
REVOKE ALL ON SCHEMA carillon FROM carillon_app, carillon_operator, carillon_worker, carillon_auth;
