-- Cancels what waits with cancelOn: payment for the payment request that an instance knows by this reference.
-- `reason`: paid or payment_canceled. In the transaction that records the payment's end: what has a reference
-- waits for nothing else. Returns how many messages were canceled.
-- Locks the messages in the order of their ids, then as cancel_follow_ups.
create or replace function messaging.cancel_on_payment(
  instance_id uuid, payment_reference text, reason text
) returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  waiting constant uuid[] := array(
    select m.id
    from messaging.messages m
    where m.instance_id = cancel_on_payment.instance_id
      and m.payment_reference = cancel_on_payment.payment_reference
      and m.status = 'queued' and m.cancel_on ? 'payment'
    order by m.id
    for no key update
  );
begin
  return case
    when waiting = '{}' then 0
    else messaging.cancel_follow_ups(waiting, reason)
  end;
end;
$$;
