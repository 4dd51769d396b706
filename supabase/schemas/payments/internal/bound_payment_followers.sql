-- Refuses what would wait with cancelOn: payment where much waits for the same payment already: its end cancels all of
-- it in one transaction (see cancel_on_payment), which 1,000 messages and recipients of batches together bound. Calls
-- at the same time may pass it together. `payment_references`: one for each that is added, which may be NULL.
-- Errors: MI094.
create or replace function messaging.bound_payment_followers(
  of_instance uuid, payment_references text[]
) returns void language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  most constant integer := 1000;
  waiting_batches constant uuid[] := array(
    select b.id from messaging.batches b
    where b.instance_id = of_instance and b.source ? 'paymentReference'
      and b.status in ('draft', 'running', 'paused')
  );
begin
  if exists (
    select
    from (
      select a.reference, count(*) as number
      from unnest(payment_references) as a(reference)
      where a.reference is not null
      group by a.reference
    ) as added
    cross join lateral (
      select count(*) as number
      from (
        select from messaging.messages m
        where m.instance_id = of_instance and m.payment_reference = added.reference
          and m.status = 'queued'
        limit most
      ) as waiting
    ) as messages
    cross join lateral (
      select count(*) as number
      from (
        select from messaging.batch_recipients r
        where r.batch_id = any (waiting_batches) and r.draft->>'paymentReference' = added.reference
          and r.status = 'pending'
        limit most
      ) as waiting
    ) as recipients
    where added.number + messages.number + recipients.number > most
  ) then
    raise exception using errcode = 'MI094', message = 'too much waits for the payment';
  end if;
end;
$$;
