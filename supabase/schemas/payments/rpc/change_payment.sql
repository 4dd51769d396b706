-- messages-api: records what the caller knows of a payment. `request`: instanceId, messageId or reference (the open
-- request of that reference, else the newest), status, paidAt (NULL: now), tell {message} (words for the
-- person: see tell_payment) or NULL, idempotency.
-- The same status again changes nothing, and tells nobody. Returns the payment (see describe_payment), with
-- told {messageId, reason}, NULL where nobody was to be told.
-- Locks the key, the message, the payment, then as end_payment, then the contact's address.
-- Errors: MI004; MI007; MI008; MI092 (no such payment), MI093 (no step forward; detail: the present status).
create or replace function public.change_payment(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  wanted_id uuid;
  asking messaging.messages;
  payment messaging.payments;
  told jsonb;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  if request->>'messageId' is not null then
    wanted_id := messaging.find_message_id(request);
  else
    select p.message_id into wanted_id
    from messaging.payments p
    where p.instance_id = of_instance and p.reference = request->>'reference'
    order by p.is_open desc, p.created_at desc
    limit 1;
  end if;
  select m.* into asking from messaging.messages m where m.id = wanted_id for no key update;
  select p.* into payment from messaging.payments p
  where p.message_id = wanted_id and p.instance_id = of_instance
  for no key update;
  if payment.message_id is null then
    raise exception using errcode = 'MI092', message = 'payment_not_found';
  end if;
  case messaging.payment_step(payment.status, request->>'status')
    when 'forward' then
      payment := messaging.end_payment(
        payment, request->>'status',
        case when request->>'status' = 'paid'
          then coalesce((request->>'paidAt')::timestamptz, clock_timestamp()) end
      );
      if nullif(request->'tell', 'null') is not null then
        told := messaging.tell_payment(asking, payment, request->'tell');
      end if;
    when 'same' then
      null;
    else
      raise exception using errcode = 'MI093', message = 'payment_state', detail = payment.status;
  end case;
  return messaging.keep_outcome(
    request, messaging.describe_payment(payment) || jsonb_build_object('told', told)
  );
end;
$$;

-- change_payment: tells the person, due at once: as the channel's own message about the order where it has one and
-- the request went as such, else as a text. Only where the contact may be written to now: on the official channel
-- inside the conversation window. `draft`: {message}. Returns {messageId, reason}, one of them NULL.
create or replace function messaging.tell_payment(
  asking messaging.messages, payment messaging.payments, draft jsonb
) returns jsonb language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  instance constant messaging.instances := messaging.find_instance(payment.instance_id);
  told_id constant uuid := gen_random_uuid();
  refusal text;
  placed record;
begin
  refusal := coalesce(
    messaging.words_refusal(instance, payment.contact_id, clock),
    case when asking.id is null then 'message_not_found' end
  );
  if refusal is not null then
    return jsonb_build_object('messageId', null, 'reason', refusal);
  end if;
  placed := messaging.schedule_message(told_id, instance, payment.contact_id, clock);
  perform messaging.add_outbound_messages(array[row(
    told_id, instance.id, payment.contact_id, asking.conversation_id,
    jsonb_build_object(
      'messageType', 'payment_status', 'message', draft->'message', 'sentBy', 'system',
      'pausesAgent', false,
      'content', jsonb_build_object(
        'paymentStatus', jsonb_build_object(
          'reference', payment.reference, 'status', payment.status
        ),
        'rendering', case
          -- What the channel has no state for goes as text.
          when messaging.shows_order(asking) and instance.provider_class = 'official'
            and payment.status <> 'refunded'
            then 'native'
          else 'text'
        end
      )
    ),
    null, null, 'scheduled', null, placed.slot, placed.held_by, asking.phone_given, null, null, null,
    null
  )::messaging.outbound_message]);
  return jsonb_build_object('messageId', told_id, 'reason', null);
end;
$$;

-- tell_payment: whether the person was shown an order, with its reference: a payment request as the channel's
-- own, or a template with the button of one. A template's other payment buttons show none.
create or replace function messaging.shows_order(asking messaging.messages)
returns boolean language sql immutable
return case
  when asking.ladder -> 'shown' ->> 'sentAs' = 'template' then coalesce(
    asking.ladder -> 'rungs' -> (
      asking.ladder ->> 'place'
    )::integer -> 'content' -> 'template' -> 'components' @> '[{"sub_type": "order_details"}]',
    false
  )
  else coalesce(
    asking.content ->> 'rendering' = 'native'
    or asking.content -> 'template' -> 'components' @> '[{"sub_type": "order_details"}]',
    false
  )
end;

-- change_payment: whether a payment may go from one status to another: `forward`, `same`; NULL where it may not.
create or replace function messaging.payment_step(former text, present text)
returns text language sql immutable
return case
  when former = present then 'same'
  when former = 'pending'
  and present in ('paid', 'failed', 'canceled', 'expired') then 'forward'
  when former in ('failed', 'expired')
  and present = 'paid' then 'forward'
  when former = 'paid'
  and present = 'refunded' then 'forward'
end;
