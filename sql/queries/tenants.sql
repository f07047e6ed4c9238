-- name: tenants_insert
INSERT INTO carillon.tenants (tenant_id, name, created_at, retention_at, retention_moved_at)
VALUES ($1, $2, $3, $3, $3)
ON CONFLICT DO NOTHING
RETURNING tenant_id;

-- name: tenants_limits
SELECT
  inbox_days, inbox_items, requests_per_second, request_burst, device_requests_per_second, device_request_burst,
  batch_operations_per_second, devices, notifications_per_device, policy_bytes
FROM carillon.tenants
WHERE tenant_id = $1;

-- name: tenants_terms
SELECT
  inbox_days, inbox_items, requests_per_second, request_burst, device_requests_per_second, device_request_burst,
  batch_operations_per_second, devices, notifications_per_device, policy_bytes, retention_at, retention_moved_at
FROM carillon.tenants
WHERE tenant_id = $1;

-- name: tenants_move_retention
-- From where the clock was moved at $2; of two who move it one does.
UPDATE carillon.tenants
SET retention_at = $3, retention_moved_at = $4
WHERE tenant_id = $1 AND retention_moved_at = $2
RETURNING tenant_id;

-- name: tenants_limits_set
-- A null stays as it was.
UPDATE carillon.tenants
SET
  inbox_days = coalesce($2, inbox_days), inbox_items = coalesce($3, inbox_items),
  requests_per_second = coalesce($4, requests_per_second), request_burst = coalesce($5, request_burst),
  device_requests_per_second = coalesce($6, device_requests_per_second),
  device_request_burst = coalesce($7, device_request_burst),
  batch_operations_per_second = coalesce($8, batch_operations_per_second), devices = coalesce($9, devices),
  notifications_per_device = coalesce($10, notifications_per_device), policy_bytes = coalesce($11, policy_bytes)
WHERE tenant_id = $1
RETURNING
  inbox_days, inbox_items, requests_per_second, request_burst, device_requests_per_second, device_request_burst,
  batch_operations_per_second, devices, notifications_per_device, policy_bytes;

-- name: tenants_list
SELECT tenant_id, name, status, policy_version, created_at
FROM carillon.tenants
ORDER BY name;

-- name: tenants_by_name
SELECT tenant_id, name, status, policy_version, created_at
FROM carillon.tenants
WHERE name = $1;
