DROP FUNCTION
  carillon.erase_inbox(uuid, uuid),
  carillon.mark_inbox(uuid, uuid, timestamptz, text, text[], timestamptz[], timestamptz, timestamptz, text),
  carillon.move_inbox(uuid, uuid, timestamptz, text),
  carillon.record_inbox(uuid, uuid, timestamptz, jsonb),
  carillon.trim_inbox(uuid, uuid, timestamptz, uuid),
  carillon.outcome_rank(uuid, uuid, text),
  carillon.count_unread(uuid, uuid, timestamptz, text),
  carillon.inbox_begins(uuid, uuid, timestamptz),
  carillon.inbox_of(uuid, uuid),
  carillon.inbox_id(uuid, uuid, text);
DROP TABLE carillon.inbox_items;
