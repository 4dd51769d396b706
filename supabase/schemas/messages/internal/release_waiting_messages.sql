-- Lets what waits for a contact's answer leave, in order, where its window is open now: what was queued at the
-- pace, the rest at once. It takes its place of the day now, as it had none while it waited.
-- The caller holds the contact. Locks the messages, then pacing, then dispatch.
-- A message whose send window never opens waits on, until its end.
create or replace function messaging.release_waiting_messages(contact_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
  instance messaging.instances;
  survivor_id uuid;
  last_at_once uuid;
  counted record;
begin
  for message in
    select m.*
    from messaging.messages m
    join messaging.contacts c on c.id = release_waiting_messages.contact_id
    where m.contact_id = any (
      messaging.merged_contact_ids(release_waiting_messages.contact_id)
    )
      and m.ladder is not null and m.status = 'queued' and m.held_by = 'awaiting_reply'
      and messaging.is_window_open(
        'official', c.last_inbound_at, (m.ladder->>'closedAt')::timestamptz, clock_timestamp()
      )
    order by m.created_at, m.id
    for no key update of m
  loop
    begin
      survivor_id := (messaging.message_after_merge(message)).contact_id;
      if survivor_id <> message.contact_id then
        perform messaging.move_messages(array[message.id]);
        message.contact_id := survivor_id;
      end if;
      message.held_by := null;
      if message.ladder ? 'endsByDefault' then
        message.expires_at := null;
      end if;
      message.ladder := jsonb_set(
        message.ladder - array['place', 'endsByDefault'], '{shown,sentAs}', '"message"'
      );
      perform messaging.requeue_message(message);
      if message.mode <> 'queued' then
        update messaging.message_queue q set goes_after = last_at_once
        where q.message_id = message.id and last_at_once is not null;
        last_at_once := message.id;
        if instance.id is null then
          instance := messaging.find_instance(message.instance_id);
        end if;
        if instance.protection is not null then
          counted := messaging.count_unpaced_send(
            instance.id, message.contact_id, clock_timestamp()
          );
          update messaging.message_queue q
          set is_new = counted.is_new, counted_on = counted.counted_on
          where q.message_id = message.id;
        end if;
      end if;
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
end;
$$;
