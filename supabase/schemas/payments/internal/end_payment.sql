-- Gives a payment its new status, tells it as payment.changed, and ends what waits for it: the request itself, the
-- message of its code, and what waits with cancelOn: payment. The caller has checked the change (see
-- payment_step), and holds the payment's message and the payment. Locks as cancel_on_payment, then as
-- cancel_payment_message.
create or replace function messaging.end_payment(
  payment messaging.payments, status text, paid_at timestamptz
) returns messaging.payments language plpgsql set search_path = '' as $$
begin
  update messaging.payments p
  set status = end_payment.status, is_open = false, changed_at = clock_timestamp(),
    paid_at = coalesce(p.paid_at, end_payment.paid_at)
  where p.message_id = payment.message_id
  returning p.* into payment;
  perform messaging.record_event(
    payment.instance_id, payment.contact_id, 'payment.changed',
    jsonb_build_object(
      'messageId', payment.message_id,
      'reference', payment.reference,
      'amount', payment.amount::text,
      'currency', payment.currency,
      'status', payment.status
    ) || messaging.read_message_contact(payment.contact_id)
  );
  -- First, as it waits for messages, and the other locks pacing: who holds a message may wait for that.
  if payment.status in ('paid', 'canceled') then
    perform messaging.cancel_on_payment(
      payment.instance_id, payment.reference,
      case payment.status when 'paid' then 'paid' else 'payment_canceled' end
    );
  end if;
  if payment.status <> 'refunded' then
    perform messaging.cancel_payment_message(payment.message_id);
    perform messaging.cancel_payment_message(payment.code_message_id);
  end if;
  return payment;
end;
$$;

-- Cancels what waits with cancelOn: payment for the payment request that an instance knows by this reference, and
-- skips the recipients of batches that wait for it. `reason`: paid or payment_canceled. In the transaction that
-- records the payment's end. Returns how many messages were canceled.
-- Locks the batches in the order of their ids, then the messages in that of theirs, then as cancel_follow_ups.
create or replace function messaging.cancel_on_payment(
  instance_id uuid, payment_reference text, reason text
) returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  waiting uuid[];
begin
  perform messaging.skip_paid_recipients(
    cancel_on_payment.instance_id, cancel_on_payment.payment_reference, cancel_on_payment.reason
  );
  -- After the batches are locked: a message that one was just given is seen.
  waiting := array(
    select m.id
    from messaging.messages m
    where m.instance_id = cancel_on_payment.instance_id
      and m.payment_reference = cancel_on_payment.payment_reference
      and m.status = 'queued' and m.cancel_on ? 'payment'
    order by m.id
    for no key update
  );
  return case
    when waiting = '{}' then 0
    else messaging.cancel_follow_ups(waiting, reason)
  end;
end;
$$;

-- cancel_on_payment: skips the pending recipients of an instance's batches that wait for the payment.
create or replace function messaging.skip_paid_recipients(
  instance_id uuid, payment_reference text, reason text
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  batch_ids uuid[];
  places jsonb;
begin
  batch_ids := array(
    select b.id from messaging.batches b
    where b.instance_id = skip_paid_recipients.instance_id and b.source ? 'paymentReference'
      and b.status in ('draft', 'running', 'paused')
    order by b.id
    for no key update
  );
  if batch_ids = '{}' then
    return;
  end if;
  select jsonb_agg(jsonb_build_object('batch', r.batch_id, 'index', r.index)) into places
  from messaging.batch_recipients r
  where r.batch_id = any (batch_ids)
    and r.draft->>'paymentReference' = skip_paid_recipients.payment_reference
    and r.status = 'pending';
  if places is not null then
    perform messaging.skip_recipients(places, reason);
  end if;
end;
$$;
