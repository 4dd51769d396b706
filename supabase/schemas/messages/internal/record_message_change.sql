-- What follows from a change of a message: that its contact's last message is another one (see
-- touch_noted_contacts), the events that it makes due, in their order, with the message as it is now (see
-- snapshot_message), and what it changes in the sums (see tables/usage_notes.sql).
-- Nobody is told of what waits, nor of what was said before the number was connected; that only its contact,
-- its place in the queue or its ladder changes is no event.
-- A message that has arrived before it was known to be sent is told as sent first: see message_event_data.
-- Conditions stand here, not in the trigger: there they are parsed anew for each statement. The first one
-- ends what most changes are.
create or replace function messaging.record_message_change()
returns trigger language plpgsql set search_path = '' as $$
declare
  due text[] := '{}';
  event_type text;
  floor text;
  note text;
  noted text;
  is_sent boolean;
  is_delivered boolean;
begin
  if new.sent_at is distinct from old.sent_at and new.message_type <> 'reaction' then
    -- What is sent now is later than what the contact wrote. Anything else is read anew.
    note := case when new.direction = 'outbound' and old.sent_at is null
      then 'messaging.sent_contacts' else 'messaging.noted_contacts' end;
    noted := coalesce(current_setting(note, true), '');
    noted := set_config(
      note,
      case note
        when 'messaging.sent_contacts' then concat(noted, new.contact_id, '@', new.sent_at, ',')
        when 'messaging.noted_contacts' then concat(noted, new.contact_id, ' ')
      end,
      true
    );
  end if;
  if tg_op = 'INSERT' then
    if new.status in ('queued', 'sending') or new.content ? 'isImported' then
      return null;
    end if;
    due := array[messaging.status_event(new.message_type, new.status)];
  elsif new.status = old.status
    and new.sent_at is not distinct from old.sent_at
    and new.delivered_at is not distinct from old.delivered_at
    and new.message is not distinct from old.message
    and new.deleted_at is not distinct from old.deleted_at
    and new.pricing is not distinct from old.pricing
  then
    return null;
  else
    if new.status <> old.status and new.status not in ('queued', 'sending') then
      if new.status in ('delivered', 'read') and old.sent_at is null then
        due := array[messaging.status_event(new.message_type, 'sent')];
      end if;
      due := due || messaging.status_event(new.message_type, new.status);
    end if;
    -- That an import completes a message whose file it had left out is no edit.
    if new.message is distinct from old.message and (
      old.content->>'unsupportedType' is distinct from 'media_placeholder'
      or new.content->>'unsupportedType' = 'media_placeholder'
    ) then
      due := due || 'message.edited'::text;
    end if;
    if old.deleted_at is null and new.deleted_at is not null then
      due := due || 'message.deleted'::text;
    end if;
  end if;

  if due <> '{}' then
    floor := messaging.hold_event_floor(new.instance_id);
    foreach event_type in array due loop
      insert into messaging.events (instance_id, contact_id, type, message)
      select new.instance_id, new.contact_id, event_type, messaging.snapshot_message(
        new, c.name, shown.phone, shown.identities, claim.is_held
      )
      from messaging.contacts c
      cross join lateral messaging.shown_contact(c) as shown
      -- A row of its own, so that the snapshot is written out in the statement.
      cross join lateral (
        select exists (
          select from messaging.message_queue q
          where q.message_id = new.id and q.claim_token is not null
        ) as is_held
        offset 0
      ) as claim
      where c.id = new.contact_id;
    end loop;
  end if;
  -- What an employee types on the phone is not this service's.
  if new.direction = 'outbound' and not new.is_typed_on_phone then
    is_sent := new.sent_at is distinct from old.sent_at;
    is_delivered := new.delivered_at is distinct from old.delivered_at
      or messaging.is_billed_anew(old.pricing, new.pricing);
    if is_sent and old.sent_at is not null or is_delivered and old.delivered_at is not null then
      perform messaging.take_back_usage(old, new);
    end if;
    if is_sent and new.sent_at is not null then
      insert into messaging.usage_notes (message_id, instance_id, counted_at, is_delivery)
      values (new.id, new.instance_id, new.sent_at, false);
    end if;
    -- Also of what was not delivered after all: it may hold one of the month's free places.
    if is_delivered and (new.delivered_at is not null or old.is_free_service) then
      insert into messaging.usage_notes (message_id, instance_id, counted_at, is_delivery)
      values (new.id, new.instance_id, coalesce(new.delivered_at, old.delivered_at), true);
    end if;
  end if;
  return null;
end;
$$;
