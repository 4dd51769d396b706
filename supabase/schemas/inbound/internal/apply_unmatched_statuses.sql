-- Applies the stored delivery events of these messages, whose provider ids have just become known.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.apply_unmatched_statuses(message_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  early record;
begin
  for early in
    with taken as (
      delete from messaging.unmatched_statuses e
      using messaging.messages m
      where m.id = any (message_ids)
        and e.instance_id = any (array[m.instance_id])
        and e.provider_message_id = any (array[m.provider_message_id])
      returning m.id as message_id, e.provider_message_id, e.status, e.occurred_at, e.error,
        e.pricing
    )
    select t.* from taken t
    order by array_position(array['sent', 'delivered', 'read', 'failed'], t.status)
  loop
    perform messaging.advance_message(
      early.message_id, early.provider_message_id, early.status, early.occurred_at, early.error,
      early.pricing
    );
  end loop;
end;
$$;
