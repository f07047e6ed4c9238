-- All that one sync changes of a device, whole or not at all.

-- p_expected: the row_version the change was computed from; null: the device must not exist yet.
-- Answers 'applied'; or 'conflict', and has changed nothing, when the device is another than expected or the sequence is
-- not newer. No put id may stand twice. How much a queue may hold is for whoever has loaded it to see to: it is still
-- what was loaded.
CREATE FUNCTION carillon.apply_sync(
  p_tenant uuid, p_device uuid, p_now timestamptz, p_expected bigint, p_sequence bigint,
  -- The columns of carillon.devices by name; null: as they were.
  p_state jsonb,
  -- What is pending, and how many requests are not ours. Null where p_state is null, too: as it was.
  p_pending bytea, p_foreign_count integer, p_foreign_regions integer,
  p_report_digest bigint, p_valid_until timestamptz, p_policy_version integer, p_steady_answer bytea,
  p_removed_ids text[], p_put_ids text[], p_put_heads bytea[], p_put_contents bytea[],
  -- A null version: the plan is the same as before.
  p_plan_version integer, p_plan_policy_version integer, p_plan_zone_data text, p_plan_digest bigint,
  p_plan_sent text[], p_plan_document bytea, p_plan_next_fire_at timestamptz, p_plan_deliveries bytea,
  p_event_ids text[], p_event_kinds text[], p_event_notifications text[], p_event_names text[],
  p_event_times timestamptz[], p_forget_events_before timestamptz,
  -- What the sync adds to the device's history, to the inbox and to what is known of priming; null: nothing.
  p_history jsonb, p_inbox jsonb, p_priming jsonb,
  -- When something in the queue next comes due; null: nothing does.
  p_look_at timestamptz,
  -- Of the inbox that the answer was computed from; null: of any.
  p_inbox_version bigint,
  -- As in carillon.change_queue.
  p_put_renews timestamptz[]
) RETURNS text
LANGUAGE plpgsql
-- All it does looks up keys: a plan made anew for each list of ids is no better one, and costs more than what it does.
SET plan_cache_mode = 'force_generic_plan'
AS $function$
DECLARE
  v_row_version bigint;
  v_sequence bigint;
BEGIN
  IF p_expected IS NULL THEN
    INSERT INTO carillon.devices (tenant_id, device_id, created_at, updated_at)
    VALUES (p_tenant, p_device, p_now, p_now)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RETURN 'conflict';
    END IF;
    INSERT INTO carillon.device_syncs (tenant_id, device_id, created_at, row_version, plan_version)
    VALUES (p_tenant, p_device, p_now, 0, 0);
  ELSE
    -- All writers of a device wait here for each other.
    SELECT s.row_version, s.sequence INTO v_row_version, v_sequence
    FROM carillon.device_syncs AS s
    WHERE s.tenant_id = p_tenant AND s.device_id = p_device
    FOR UPDATE;
    IF NOT FOUND OR v_row_version <> p_expected OR v_sequence >= p_sequence THEN
      RETURN 'conflict';
    END IF;
  END IF;

  -- Before the user and the queue change: what came due belongs to who was there, with the content it had.
  IF p_inbox IS NOT NULL THEN
    PERFORM carillon.record_inbox(p_tenant, p_device, p_now, p_inbox);
  END IF;

  IF p_state IS NOT NULL THEN
    PERFORM carillon.move_inbox(p_tenant, p_device, p_now, p_state ->> 'user_id');
    UPDATE carillon.devices AS d
    SET
      authorization_status = s.authorization_status, settings = s.settings, platform = s.platform,
      os_version = s.os_version, app_version = s.app_version, bundle_id = s.bundle_id, time_zone = s.time_zone,
      first_weekday = s.first_weekday, minimum_days_in_first_week = s.minimum_days_in_first_week,
      locale = s.locale, device_key = s.device_key, user_id = s.user_id, cohort = s.cohort,
      push_token = s.push_token, push_environment = s.push_environment,
      background_refresh = s.background_refresh, pending = p_pending, foreign_count = p_foreign_count,
      foreign_regions = p_foreign_regions, updated_at = p_now
    FROM jsonb_to_record(p_state) AS s (
      authorization_status text, settings jsonb, platform text, os_version text, app_version text,
      bundle_id text, time_zone text, first_weekday smallint, minimum_days_in_first_week smallint, locale text,
      device_key text, user_id text, cohort text, push_token text, push_environment text,
      background_refresh text
    )
    WHERE d.tenant_id = p_tenant AND d.device_id = p_device;
  ELSIF p_pending IS NOT NULL THEN
    UPDATE carillon.devices
    SET
      pending = p_pending, foreign_count = p_foreign_count, foreign_regions = p_foreign_regions, updated_at = p_now
    WHERE tenant_id = p_tenant AND device_id = p_device;
  END IF;

  IF cardinality(p_removed_ids) > 0 THEN
    DELETE FROM carillon.notifications
    WHERE tenant_id = p_tenant AND device_id = p_device AND notification_id = ANY (p_removed_ids);
  END IF;

  IF cardinality(p_put_ids) > 0 THEN
    -- The device is by now as the report has it: what comes with a new user is the new user's.
    PERFORM carillon.put_entries(
      p_tenant, p_device, p_now, coalesce(p_expected, 0) + 1, nullif(d.user_id, ''), p_put_ids, p_put_heads,
      p_put_contents, p_put_renews, '{}')
    FROM carillon.devices AS d
    WHERE d.tenant_id = p_tenant AND d.device_id = p_device;
  END IF;

  IF p_plan_version IS NOT NULL THEN
    INSERT INTO carillon.plans AS p (
      tenant_id, device_id, version, policy_version, zone_data, digest, computed_at, sent, document, next_fire_at,
      deliveries
    )
    VALUES (
      p_tenant, p_device, p_plan_version, p_plan_policy_version, p_plan_zone_data, p_plan_digest, p_now,
      p_plan_sent, p_plan_document, p_plan_next_fire_at, p_plan_deliveries
    )
    ON CONFLICT (tenant_id, device_id) DO UPDATE
      SET
        version = excluded.version, policy_version = excluded.policy_version, zone_data = excluded.zone_data,
        digest = excluded.digest, computed_at = excluded.computed_at, sent = excluded.sent,
        document = excluded.document, next_fire_at = excluded.next_fire_at, deliveries = excluded.deliveries;
  END IF;

  IF p_forget_events_before IS NOT NULL THEN
    DELETE FROM carillon.device_events
    WHERE tenant_id = p_tenant AND device_id = p_device AND received_at < p_forget_events_before;
  END IF;

  IF cardinality(p_event_ids) > 0 THEN
    INSERT INTO carillon.device_events (
      tenant_id, device_id, event_id, kind, notification_id, name, occurred_at, received_at
    )
    SELECT p_tenant, p_device, e.id, e.kind, e.notification, e.name, e.at, p_now
    FROM unnest(p_event_ids, p_event_kinds, p_event_notifications, p_event_names, p_event_times)
      AS e (id, kind, notification, name, at)
    ON CONFLICT DO NOTHING;
  END IF;

  IF p_history IS NOT NULL THEN
    PERFORM carillon.record_history(p_tenant, p_device, p_now, p_history);
  END IF;
  IF p_priming IS NOT NULL THEN
    PERFORM carillon.record_priming(p_tenant, p_device, p_now, p_priming);
  END IF;

  UPDATE carillon.device_syncs
  SET
    row_version = row_version + 1,
    sequence = coalesce(p_sequence, sequence),
    seen_at = CASE WHEN p_sequence IS NULL THEN seen_at ELSE p_now END,
    report_digest = CASE WHEN inbox_version = coalesce(p_inbox_version, inbox_version) THEN p_report_digest END,
    valid_until = p_valid_until, policy_version = p_policy_version,
    steady_answer = p_steady_answer, look_at = p_look_at,
    plan_version = coalesce(p_plan_version, plan_version)
  WHERE tenant_id = p_tenant AND device_id = p_device;
  RETURN 'applied';
END
$function$;

REVOKE ALL ON FUNCTION carillon.apply_sync(
  uuid, uuid, timestamptz, bigint, bigint, jsonb, bytea, integer, integer, bigint, timestamptz, integer, bytea, text[],
  text[], bytea[], bytea[], integer, integer, text, bigint, text[], bytea, timestamptz, bytea, text[], text[], text[], text[],
  timestamptz[], timestamptz, jsonb, jsonb, jsonb, timestamptz, bigint,
  timestamptz[]
) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION carillon.apply_sync(
  uuid, uuid, timestamptz, bigint, bigint, jsonb, bytea, integer, integer, bigint, timestamptz, integer, bytea, text[],
  text[], bytea[], bytea[], integer, integer, text, bigint, text[], bytea, timestamptz, bytea, text[], text[], text[], text[],
  timestamptz[], timestamptz, jsonb, jsonb, jsonb, timestamptz, bigint,
  timestamptz[]
) TO carillon_app;
