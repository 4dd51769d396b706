-- Ends the payments whose time is over as `expired`. `request`: maxPayments. Costs what is due: the look-up reads the
-- index of due ones alone. Waits for no message that another transaction holds: it is due again.
-- Locks per payment its message, the payment, then as end_payment: instance by instance, as all lock pacing.
-- Returns {expired, isComplete}.
create or replace function public.run_payments(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  max_payments constant integer := (request->>'maxPayments')::integer;
  clock constant timestamptz := clock_timestamp();
  seen integer := 0;
  expired integer := 0;
  due_id uuid;
  payment messaging.payments;
begin
  for due_id in
    with due as materialized (
      select p.message_id, p.instance_id, p.expires_at from messaging.payments p
      where p.is_open and p.expires_at <= clock
      order by p.expires_at
      limit max_payments
    )
    select due.message_id from due order by due.instance_id, due.expires_at
  loop
    seen := seen + 1;
    perform from messaging.messages m where m.id = due_id for no key update skip locked;
    continue when not found;
    select p.* into payment from messaging.payments p
    where p.message_id = due_id and p.is_open
    for no key update skip locked;
    continue when not found;
    perform messaging.end_payment(payment, 'expired', null);
    expired := expired + 1;
  end loop;
  return jsonb_build_object('expired', expired, 'isComplete', seen < max_payments);
end;
$$;
