REVOKE EXECUTE ON FUNCTION carillon.inbox_id(uuid, uuid, text) FROM carillon_operator;
REVOKE DELETE ON carillon.tenants FROM carillon_operator;
DROP FUNCTION carillon.import_rows(uuid, text, jsonb);
DROP FUNCTION carillon.export_inbox_items(uuid, text, jsonb, integer);
DROP FUNCTION carillon.inbox_part(uuid, uuid, jsonb, integer);
DROP FUNCTION carillon.export_rows(uuid, text, jsonb, integer);
DROP FUNCTION carillon.count_tenant_rows(uuid);
DROP FUNCTION carillon.delete_tenant_rows(uuid, integer);
DROP FUNCTION carillon.tenant_tables();
DROP FUNCTION carillon.erase_audit(uuid, integer);
DROP FUNCTION carillon.enter_tenant(uuid, text);
REVOKE SELECT (tenant_id, status) ON carillon.tenants FROM carillon_eraser;
REVOKE ALL ON SCHEMA carillon FROM carillon_eraser;
DROP TABLE carillon.audit_log;
ALTER TABLE carillon.tenants
  DROP CONSTRAINT tenants_status_check,
  ADD CONSTRAINT tenants_status_check CHECK (status IN ('active', 'suspended'));
