-- name: plans_get
SELECT version, policy_version, zone_data, document, computed_at
FROM carillon.plans
WHERE tenant_id = $1 AND device_id = $2;

-- name: plans_summary
SELECT
  p.version, p.policy_version, p.zone_data, p.digest, p.sent, s.valid_until, p.deliveries, p.next_fire_at, p.document,
  p.computed_at
FROM carillon.plans AS p
JOIN carillon.device_syncs AS s ON s.tenant_id = p.tenant_id AND s.device_id = p.device_id
WHERE p.tenant_id = $1 AND p.device_id = $2;
