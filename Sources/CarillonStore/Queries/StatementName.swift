import CarillonPostgres
import CarillonSQL

/// Every statement the store makes, by its name in `sql/queries`.
enum StatementName: String, CaseIterable {
  case apiKeysInsert = "api_keys_insert"
  case apiKeysList = "api_keys_list"
  case apiKeysLookup = "api_keys_lookup"
  case apiKeysRevoke = "api_keys_revoke"
  case deliveriesMentioned = "deliveries_mentioned"
  case deliveriesPage = "deliveries_page"
  case deviceChangesPage = "device_changes_page"
  case deviceEventsKnown = "device_events_known"
  case devicePrimingAnswer = "device_priming_answer"
  case devicePrimingGet = "device_priming_get"
  case devicePrimingSteps = "device_priming_steps"
  case deviceSyncsApply = "device_syncs_apply"
  case deviceSyncsConfirm = "device_syncs_confirm"
  case deviceSyncsTouch = "device_syncs_touch"
  case deviceTruthsGet = "device_truths_get"
  case devicesCount = "devices_count"
  case devicesErase = "devices_erase"
  case devicesGet = "devices_get"
  case devicesIds = "devices_ids"
  case devicesLock = "devices_lock"
  case devicesOfUser = "devices_of_user"
  case devicesPage = "devices_page"
  case devicesSample = "devices_sample"
  case devicesSharing = "devices_sharing"
  case identityClaimsErase = "identity_claims_erase"
  case identityClaimsHolders = "identity_claims_holders"
  case identityClaimsInsert = "identity_claims_insert"
  case identityClaimsMove = "identity_claims_move"
  case identityClaimsRelease = "identity_claims_release"
  case identityDisplace = "identity_displace"
  case identitySettle = "identity_settle"
  case identityTakeOver = "identity_take_over"
  case inboxItemsErase = "inbox_items_erase"
  case inboxItemsKnown = "inbox_items_known"
  case inboxItemsMark = "inbox_items_mark"
  case inboxItemsPage = "inbox_items_page"
  case inboxItemsUnread = "inbox_items_unread"
  case notificationsChange = "notifications_change"
  case notificationsContents = "notifications_contents"
  case notificationsGet = "notifications_get"
  case notificationsHeads = "notifications_heads"
  case notificationsPage = "notifications_page"
  case plansGet = "plans_get"
  case plansSummary = "plans_summary"
  case policiesCurrent = "policies_current"
  case policiesCurrentVersion = "policies_current_version"
  case policiesHistory = "policies_history"
  case policiesPut = "policies_put"
  case policiesUnlessKnown = "policies_unless_known"
  case policiesVersion = "policies_version"
  case schemaRole = "schema_role"
  case tenantsByName = "tenants_by_name"
  case tenantsInbox = "tenants_inbox"
  case tenantsInboxSet = "tenants_inbox_set"
  case tenantsInsert = "tenants_insert"
  case tenantsList = "tenants_list"

  /// Read whole at the first use, so that a name without a statement traps at the start and not in a request.
  private static let sources = [StatementName: Statement.Source](
    uniqueKeysWithValues: allCases.map { name in
      (name, Statement.Source(name: name.rawValue, sql: CarillonSQL.statement(name.rawValue)))
    })

  var source: Statement.Source { Self.sources[self]! }
}
