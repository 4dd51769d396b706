-- Why a recipient of a batch gets no payment request now: `reference_in_use` where another open request has its
-- reference, `payment_ended` where its own request, which was tried before, has ended meanwhile, or ends
-- within the five minutes that it must have; NULL for nothing. `asked`: the payment of its draft.
-- `message_id`: NULL for a recipient without a message.
create or replace function messaging.payment_hindrance(
  of_instance uuid, asked jsonb, message_id uuid
) returns text language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return case
    when exists (
      select from messaging.payments p
      where p.instance_id = of_instance and p.reference = asked->>'reference' and p.is_open
        and p.message_id is distinct from payment_hindrance.message_id
    ) then 'reference_in_use'
    when (asked->>'expiresAt')::timestamptz < clock_timestamp() + messaging.payment_lead() or exists (
      select from messaging.payments p
      where p.message_id = payment_hindrance.message_id and p.status <> 'pending'
    ) then 'payment_ended'
  end;
end;
$$;
