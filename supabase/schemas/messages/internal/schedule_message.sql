-- Puts an accepted message into the unpaced lane, due at `slot`: one that is delayed, for an instant of the
-- caller's, or deferred to the dispatcher. `is_held` as enqueue_message. The caller stores it with
-- add_outbound_messages.
create or replace function messaging.schedule_message(
  message_id uuid, instance messaging.instances, contact_id uuid, inout slot timestamptz,
  out held_by text, out is_held boolean
) language plpgsql set search_path = '' as $$
declare
  is_new boolean;
  counted_on date;
begin
  if instance.protection is not null then
    select c.is_new, c.counted_on into is_new, counted_on
    from messaging.count_unpaced_send(instance.id, contact_id, slot) c;
  end if;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, is_new, counted_on
  )
  values (
    message_id, instance.id, 'unpaced', slot, slot, is_new, counted_on
  )
  returning exists (select from messaging.hold_at(instance.id, slot)) into is_held;
end;
$$;
