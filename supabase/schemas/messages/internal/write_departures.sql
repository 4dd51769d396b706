-- Writes when messages leave, and what holds them until then: `slots` and `reasons` by their place, or NULL where a
-- message is in no queue. The caller holds the messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.write_departures(
  message_ids uuid[], slots timestamptz[], reasons text[]
) returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set scheduled_for = d.slot, held_by = d.reason
  from unnest(message_ids, slots, reasons) as d(message_id, slot, reason)
  where m.id = any (array[d.message_id]);
end;
$$;
