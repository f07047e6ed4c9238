-- name: schema_role
-- Whether the connected role could pass by row security.
SELECT
  r.rolname, r.rolsuper, r.rolbypassrls,
  coalesce(pg_has_role(r.oid, n.nspowner, 'MEMBER'), false), n.oid IS NOT NULL
FROM pg_catalog.pg_roles AS r
LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = 'carillon'
WHERE r.rolname = current_user;
