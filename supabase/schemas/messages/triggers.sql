create trigger messages_record_change
after insert or update on messaging.messages
for each row
execute function messaging.record_message_change();

-- What follows from a change of a message: that its contact's last message is another one (see
-- touch_noted_contacts), that a silence begins (see watch_idle_conversations), the events that it makes due, in
-- their order, with the message as it is now (see snapshot_message), what becomes of the question that it asks
-- (see follow_question), and of the payment (see follow_payment), and what it changes in the sums (see
-- tables/usage_notes.sql). Nobody is told of what waits, nor of what was said before the number was
-- connected; that only its contact, its place in the queue or its ladder changes is no event.
-- A message that has arrived before it was known to be sent is told as sent first: see message_event_data.
-- Conditions stand here, not in the trigger: there they are parsed anew for each statement. The first one
-- ends what most changes are.
create or replace function messaging.record_message_change()
returns trigger language plpgsql set search_path = '' as $$
declare
  due text[] := '{}';
  event_type text;
  floor text;
  noted text;
  is_sent boolean;
  is_delivered boolean;
  tells_idle boolean;
begin
  if new.sent_at is distinct from old.sent_at and new.message_type <> 'reaction' then
    -- What is sent now is later than what the contact wrote. What was sent before, as an echo or an import
    -- tells, is read anew.
    if new.direction = 'outbound' and old.sent_at is null and new.sent_at >= now() then
      noted := set_config('messaging.sent_contacts', concat(
        current_setting('messaging.sent_contacts', true), new.contact_id, '@', new.sent_at, ','
      ), true);
    else
      perform messaging.note_contact(new.contact_id);
    end if;
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

  if new.question_id is not null and new.direction = 'outbound' then
    perform messaging.follow_question(old, new);
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
      where c.id = new.contact_id
      returning (
        select i.idle is not null from messaging.instances i where i.id = new.instance_id
      ) into tells_idle;
    end loop;
    if tells_idle and old.sent_at is null and new.sent_at is not null
      and new.message_type <> 'reaction' then
      noted := set_config(
        'messaging.idle_noted',
        concat(
          current_setting('messaging.idle_noted', true), new.contact_id, '@',
          case when tg_op = 'INSERT' then new.created_at else new.sent_at end, '@',
          case new.direction when 'inbound' then 'us' else 'customer' end, '@', new.id, ','
        ),
        true
      );
    end if;
  end if;
  if new.question_id is not null and new.direction = 'outbound' then
    perform messaging.take_pending_answer(new);
  end if;
  if messaging.asks_to_pay(new.content) then
    perform messaging.follow_payment(old, new);
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

-- Whether a message is billed in another way than before. That its price has become known (see count_notes)
-- is none.
create or replace function messaging.is_billed_anew(former jsonb, present jsonb)
returns boolean language sql immutable
return former - 'market' is distinct from present - 'market'
or former ? 'market'
and not present ? 'market';

-- The event that tells a message's new status. That a reaction is sent or received is told as the reaction.
create or replace function messaging.status_event(message_type text, status text)
returns text language sql immutable
return 'message.' || case
  when message_type = 'reaction'
  and status in ('sent', 'received') then 'reaction'
  else status
end;

-- Takes back from the sums what has been counted of an outbound message of ours that is not so after all: that
-- it was sent or delivered, or how it was billed. `former` and `present`: the message before and after.
create or replace function messaging.take_back_usage(
  former messaging.messages, present messaging.messages
) returns void language plpgsql set search_path = '' as $$
declare
  changes constant messaging.usage_changes[] := array(
    select messaging.counted_note(
      row(former.id, former.instance_id, former.sent_at, false)::messaging.usage_notes, former, -1
    )
    where former.sent_at is not null and former.sent_at is distinct from present.sent_at
    union all
    select messaging.counted_delivery(former, -1)
    where former.delivered_at is not null
      and not messaging.awaits_price(former.delivered_at, former.pricing)
      and (former.delivered_at, former.pricing) is distinct from (present.delivered_at, present.pricing)
  );
begin
  if changes <> '{}' then
    perform messaging.add_usage_changes(changes);
  end if;
  if present.sent_at is null then
    delete from messaging.budget_under_way b where b.message_id = present.id;
  end if;
end;
$$;

-- What an event keeps of a message: see tables/message_snapshot.sql. `contact_phone` as
-- contact_display_phone, `contact_identities` as hidden_identities. `is_claimed`: whether the message is
-- still in a worker's hands.
create or replace function messaging.snapshot_message(
  message messaging.messages, contact_name text, contact_phone text, contact_identities jsonb,
  is_claimed boolean
) returns messaging.message_snapshot language sql stable
return row(
  message.id,
  message.direction,
  case
    when is_claimed
    and message.status = 'queued' then 'sending'
    else message.status
  end,
  message.message_type,
  message.message,
  case
    when message.direction = 'inbound'
    or message.is_typed_on_phone then message.content
    else message.content - array['template', 'choices', 'mediaUrl', 'mediaFilename'] || case
      when messaging.asks_to_pay(message.content) then messaging.shown_payment(
        message.id,
        message.content -> 'payment'
      )
      else '{}'
    end
  end,
  message.card_id,
  message.metadata,
  message.contact_id,
  message.conversation_id,
  message.provider_message_id,
  message.scheduled_for,
  message.held_by,
  message.created_at,
  message.sent_at,
  message.delivered_at,
  message.read_at,
  message.failed_at,
  message.attempts + is_claimed::integer,
  message.last_error,
  contact_name,
  contact_phone,
  message.quoted_message_id,
  case
    when message.content is not null
    or message.media_id is not null then messaging.message_media(message.media_id, message.content)
  end,
  message.batch_id,
  message.quoted_provider_message_id,
  message.author,
  message.is_group,
  message.chat_name,
  message.sent_by,
  message.is_typed_on_phone,
  message.edited_at,
  message.deleted_at,
  message.channel_status,
  contact_identities,
  message.purpose,
  message.cancel_key,
  message.expires_at,
  message.pricing,
  message.group_receipts,
  message.estimated_cost,
  message.cost_currency,
  case
    when message.ladder is not null then jsonb_build_object('shown', message.ladder -> 'shown')
  end,
  message.cancel_on,
  message.payment_reference,
  message.cancel_reason,
  case
    when message.question_id is not null then messaging.shown_question(
      message.question_id,
      message.direction
    )
  end,
  message.handled_by
)::messaging.message_snapshot;
