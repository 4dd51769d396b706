-- What a change of a message means for the payment that it asks for: it frees its reference where the message will
-- not leave, and takes it again where it is tried again or has left after all; a Pix code follows a request that has
-- left as text (see send_payment_code), and is taken back where that failed later.
-- A reference that another request has taken meanwhile: MI090 for one that is tried again; one that has left stays
-- without it. One that is tried again after its payment has ended: MI093. The caller holds the message. Locks
-- its payment, then as cancel_payment_message.
create or replace function messaging.follow_payment(
  former messaging.messages, present messaging.messages
) returns void language plpgsql set search_path = '' as $$
declare
  ended constant text[] := array['failed', 'canceled', 'expired'];
  payment_status text;
begin
  if present.status = any (ended) then
    update messaging.payments p set is_open = false where p.message_id = present.id and p.is_open;
    perform messaging.cancel_payment_message(p.code_message_id)
    from messaging.payments p
    where p.message_id = present.id and p.code_message_id is not null;
    return;
  end if;
  if former.status = any (ended) then
    if present.status in ('queued', 'sending') then
      payment_status := (select p.status from messaging.payments p where p.message_id = present.id);
      if payment_status <> 'pending' then
        raise exception using errcode = 'MI093', message = 'payment_state', detail = payment_status;
      end if;
    end if;
    begin
      update messaging.payments p set is_open = true
      where p.message_id = present.id and p.status = 'pending';
    exception when unique_violation then
      if present.status in ('queued', 'sending') then
        raise exception using errcode = 'MI090', message = 'reference_in_use';
      end if;
    end;
  end if;
  if present.status in ('sent', 'delivered', 'read') and present.content->>'rendering' = 'text'
    and present.content->'payment' ? 'pixCode' then
    perform messaging.send_payment_code(present);
  end if;
end;
$$;

-- follow_payment: sends the Pix code of a request that has left as text, as a text of its own with nothing else in
-- it, due at once: once, and only while it can be paid. It expires with the payment. It takes no place of a day and
-- no slot, as it belongs to the message that had its own.
create or replace function messaging.send_payment_code(request messaging.messages)
returns void language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  code_id constant uuid := gen_random_uuid();
  ends_at timestamptz;
begin
  update messaging.payments p set code_message_id = code_id
  where p.message_id = request.id and p.code_message_id is null and p.status = 'pending'
  returning p.expires_at into ends_at;
  if not found then
    return;
  end if;
  insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
  values (code_id, request.instance_id, 'unpaced', clock, clock);
  perform messaging.add_outbound_messages(array[row(
    code_id, request.instance_id, request.contact_id, request.conversation_id,
    jsonb_build_object(
      'messageType', 'text', 'message', request.content->'payment'->'pixCode',
      'sentBy', request.sent_by, 'purpose', request.purpose, 'pausesAgent', false
    ),
    request.operator_id, request.agent_id, 'scheduled', null, clock, null, request.phone_given, null,
    case when ends_at is not null then jsonb_build_object('expiresAt', ends_at) end, null, null
  )::messaging.outbound_message]);
end;
$$;
