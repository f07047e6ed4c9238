// What SwiftPM embeds has a name each and cannot be listed by a program. A file that is missing here is found by
// the tests, which hold these lists against the folders.

/// In the order of their versions.
let embeddedMigrations: [(name: String, up: [UInt8], down: [UInt8])] = [
  ("tenants", PackageResources.v0001_tenants_up_sql, PackageResources.v0001_tenants_down_sql),
  ("api_keys", PackageResources.v0002_api_keys_up_sql, PackageResources.v0002_api_keys_down_sql),
  ("devices", PackageResources.v0003_devices_up_sql, PackageResources.v0003_devices_down_sql),
  (
    "notifications", PackageResources.v0004_notifications_up_sql,
    PackageResources.v0004_notifications_down_sql
  ),
  ("plans", PackageResources.v0005_plans_up_sql, PackageResources.v0005_plans_down_sql),
  (
    "device_events", PackageResources.v0006_device_events_up_sql,
    PackageResources.v0006_device_events_down_sql
  ),
  ("apply_sync", PackageResources.v0007_apply_sync_up_sql, PackageResources.v0007_apply_sync_down_sql),
  (
    "device_history", PackageResources.v0008_device_history_up_sql,
    PackageResources.v0008_device_history_down_sql
  ),
  ("inbox", PackageResources.v0009_inbox_up_sql, PackageResources.v0009_inbox_down_sql),
  ("priming", PackageResources.v0010_priming_up_sql, PackageResources.v0010_priming_down_sql),
  ("identity", PackageResources.v0011_identity_up_sql, PackageResources.v0011_identity_down_sql),
  ("reports", PackageResources.v0012_reports_up_sql, PackageResources.v0012_reports_down_sql),
  (
    "signing_keys", PackageResources.v0013_signing_keys_up_sql,
    PackageResources.v0013_signing_keys_down_sql
  ),
  ("audit", PackageResources.v0014_audit_up_sql, PackageResources.v0014_audit_down_sql),
  (
    "idempotency", PackageResources.v0015_idempotency_up_sql, PackageResources.v0015_idempotency_down_sql
  ),
]

let embeddedQueries: [[UInt8]] = [
  PackageResources.api_keys_sql,
  PackageResources.audit_log_sql,
  PackageResources.credentials_sql,
  PackageResources.deliveries_sql,
  PackageResources.device_changes_sql,
  PackageResources.device_events_sql,
  PackageResources.device_idempotency_keys_sql,
  PackageResources.device_priming_sql,
  PackageResources.device_syncs_sql,
  PackageResources.device_truths_sql,
  PackageResources.devices_sql,
  PackageResources.identity_sql,
  PackageResources.inbox_items_sql,
  PackageResources.notifications_sql,
  PackageResources.plans_sql,
  PackageResources.policies_sql,
  PackageResources.report_counts_sql,
  PackageResources.report_days_sql,
  PackageResources.retention_sql,
  PackageResources.schema_sql,
  PackageResources.signing_keys_sql,
  PackageResources.tenant_idempotency_keys_sql,
  PackageResources.tenant_life_sql,
  PackageResources.tenants_sql,
]
