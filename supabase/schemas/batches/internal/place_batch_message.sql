-- feed_instance: gives a recipient of a running batch its message, in the queue: a new one, or the one that a
-- pause has taken back or that is tried again. The caller holds pacing and the batch, and the contact, and
-- counts the turn.
-- Returns the message's id. Errors: MI010.
create or replace function messaging.place_batch_message(
  instance messaging.instances, batch messaging.batches, recipient_index integer
) returns uuid language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  recipient messaging.batch_recipients;
  placed_id uuid;
  conversation messaging.conversations;
  placed record;
  moved_by text;
begin
  select r.* into strict recipient from messaging.batch_recipients r
  where r.batch_id = batch.id and r.index = recipient_index;
  placed_id := coalesce(recipient.message_id, gen_random_uuid());
  placed := messaging.enqueue_message(
    placed_id, instance, messaging.own_interval(batch), batch.start_at, interval '0', recipient.contact_id,
    batch.seed || ' ' || recipient.index
  );
  moved_by := coalesce(placed.held_by, case when placed.slot > clock_timestamp() then 'delay' end);
  if recipient.message_id is not null then
    perform messaging.wait_again(placed_id, placed.slot, moved_by);
  else
    conversation := messaging.resolve_conversation(instance.id, recipient.contact_id);
    perform messaging.add_outbound_messages(array[row(
      placed_id, instance.id, recipient.contact_id, conversation.id,
      recipient.draft || jsonb_build_object('purpose', batch.purpose), null, null, 'queued',
      messaging.own_interval(batch), placed.slot, moved_by, nullif(recipient.phone, c.phone), batch.id,
      jsonb_build_object('expiresAt', batch.expires_at), null, null
    )::messaging.outbound_message])
    from messaging.contacts c
    where c.id = recipient.contact_id;
  end if;
  update messaging.batch_recipients r
  set status = 'accepted', message_id = placed_id, draft = null, turn = batch.turns + 1
  where r.batch_id = batch.id and r.index = recipient.index;
  return placed_id;
end;
$$;
