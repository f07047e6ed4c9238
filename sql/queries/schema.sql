-- name: schema_role
-- Whether the connected role could pass by row security: as what it is, as what it may become, or where row security does
-- not hold.
SELECT
  r.rolname, r.rolsuper, r.rolbypassrls,
  coalesce(pg_has_role(r.oid, n.nspowner, 'MEMBER'), false), n.oid IS NOT NULL,
  coalesce((
    SELECT string_agg(m.rolname, ', ' ORDER BY m.rolname)
    FROM pg_catalog.pg_roles AS m
    WHERE m.oid <> r.oid AND pg_has_role(r.oid, m.oid, 'MEMBER')
      AND (
        m.rolsuper OR m.rolbypassrls
        OR m.rolname IN ('carillon_owner', 'carillon_operator', 'carillon_worker', 'carillon_auth', 'carillon_eraser')
      )
  ), ''),
  coalesce((
    SELECT string_agg(format('%I.%I', n.nspname, c.relname), ', ' ORDER BY c.relname)
    FROM pg_catalog.pg_class AS c
    WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
      AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
      AND EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
      )
  ), '')
FROM pg_catalog.pg_roles AS r
LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = 'carillon'
WHERE r.rolname = current_user;
