-- Puts an accepted message that does not leave at once where its delivery requires: `queued` into the paced
-- lane, `scheduled` (delayed, for an instant of the caller's, or deferred to the dispatcher) into the
-- unpaced lane. See accept_message for `delivery`, enqueue_message for `typing`. The caller stores it with
-- add_outbound_messages.
create or replace function messaging.place_message(
  message_id uuid,
  instance messaging.instances,
  delivery jsonb,
  typing interval,
  contact_id uuid,
  out mode text,
  out slot timestamptz,
  out held_by text
)
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  send_at constant timestamptz := date_trunc(
    'milliseconds', (delivery->'timing'->>'sendAt')::timestamptz
  );
  not_before constant timestamptz := messaging.earliest_departure(delivery, clock);
  is_delayed constant boolean := not_before > clock;
  enqueued record;
  is_new boolean;
  counted_on date;
begin
  if (delivery->>'queued')::boolean then
    mode := 'queued';
    if send_at > clock then
      enqueued := messaging.enqueue_message_later(
        message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing, contact_id
      );
    else
      enqueued := messaging.enqueue_message(
        message_id, instance, (delivery->>'intervalSeconds')::integer, not_before, typing, contact_id
      );
    end if;
    slot := enqueued.slot;
    held_by := coalesce(enqueued.held_by, case when is_delayed then 'delay' end);
  else
    mode := 'scheduled';
    slot := not_before;
    held_by := case when is_delayed then 'delay' end;
    if instance.protection is not null then
      select c.is_new, c.counted_on into is_new, counted_on
      from messaging.count_unpaced_send(instance.id, contact_id, slot) c;
    end if;
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, is_new, counted_on
    )
    values (
      message_id, instance.id, 'unpaced', slot, slot, is_new, counted_on
    );
  end if;
end;
$$;
