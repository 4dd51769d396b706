-- What noted messages count in the sums, and estimates what those cost that the official channel has
-- delivered. `notes`: rows of usage_notes that the caller has deleted; one whose message another transaction
-- is changing is noted again.
-- Not in the transaction that records a delivery: for many at once it costs a fraction.
-- A delivery without a rate, or to a person whose phone is not known, stays without an estimate. What the
-- channel bills as free costs nothing, nor do the month's free service messages.
-- Waits for no message. The caller holds lock_usage_notes.
create or replace function messaging.count_notes(notes messaging.usage_notes[])
returns messaging.usage_changes[]
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  delivered constant uuid[] := array(
    select distinct n.message_id from unnest(notes) as n where n.is_delivery
  );
  locked uuid[];
  postponed uuid[];
  moved uuid[];
  changes messaging.usage_changes[];
  priced messaging.usage_changes[];
begin
  locked := array(
    select m.id from messaging.messages m
    where m.id = any (delivered) and m.pricing is not null and not m.is_typed_on_phone
    for no key update skip locked
  );
  postponed := array(
    select m.id from messaging.messages m
    where m.id = any (delivered) and m.pricing is not null and not m.is_typed_on_phone
      and m.id <> all (locked)
  );
  insert into messaging.usage_notes (message_id, instance_id, counted_at, is_delivery)
  select n.message_id, n.instance_id, n.counted_at, true
  from unnest(notes) as n
  where n.is_delivery and n.message_id = any (postponed);
  changes := array(
    select messaging.counted_note(n, m, 1)
    from unnest(notes) as n
    join messaging.instances i on i.id = any (array[n.instance_id])
    left join messaging.messages m on m.id = any (array[n.message_id])
    where m.is_typed_on_phone is not true
      and (not n.is_delivery or i.provider_class <> 'official' or m.id is null)
  );
  insert into messaging.budget_under_way (message_id, instance_id, sent_at, amount)
  select s.message_id, s.instance_id, n.counted_at, s.amount
  from messaging.sending_costs(array(
    select n.message_id
    from unnest(notes) as n
    join messaging.instances i on i.id = any (array[n.instance_id])
    where not n.is_delivery and i.budget is not null
  )) as s
  join unnest(notes) as n on n.message_id = s.message_id and not n.is_delivery
  join messaging.messages m on m.id = any (array[s.message_id])
  where m.status = 'sent' and m.delivered_at is null
  on conflict do nothing;
  delete from messaging.budget_under_way b where b.message_id = any (locked);
  moved := messaging.count_free_services(array(
    select d from unnest(delivered) as d where d <> all (postponed)
  ));
  changes := changes || array(
    select messaging.counted_delivery(m, -1) from messaging.messages m where m.id = any (moved)
  );
  with told as (
    update messaging.messages m
    set is_free_service = p.is_free,
      pricing = m.pricing || jsonb_build_object('market', p.market),
      estimated_cost = case when p.currency is not null and p.is_free then 0 else p.rate end,
      cost_currency = case when p.is_free or p.rate is not null then p.currency end
    from (
      select d.*, case
          when d.is_service then (
            select true from messaging.free_service_messages f where f.message_id = d.message_id limit 1
          ) is not null
        end as is_free
      from messaging.delivery_prices(locked || moved) as d
    ) as p
    where m.id = any (array[p.message_id])
      and (m.id = any (moved) or messaging.awaits_price(m.delivered_at, m.pricing))
    returning messaging.counted_delivery(m, 1) as change
  )
  select array_agg(t.change) into priced from told t;
  return changes || priced;
end;
$$;
