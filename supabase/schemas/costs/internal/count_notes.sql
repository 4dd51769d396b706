-- What noted messages count in the sums, and estimates what those cost that the official channel has
-- delivered. `notes`: rows of usage_notes that the caller has deleted; one of a message that another
-- transaction is changing is noted again.
-- Not in the transaction that records a delivery: for many at once it costs a fraction.
-- A delivery without a rate, or to a person without a known phone, stays without an estimate. What the
-- channel bills as free costs nothing, nor do the month's free service messages.
-- Waits for no message. The caller holds lock_usage_notes.
create or replace function messaging.count_notes(notes messaging.usage_notes[])
returns messaging.usage_changes[] language plpgsql set search_path = '' set enable_seqscan = off
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
  with counted as (
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
  select array_agg(t.change) into priced from counted t;
  return changes || priced;
end;
$$;

-- Counts these messages off the free service messages of their instance and month, the earliest deliveries
-- first, however late they are reported. What is billed as something else after all, or was not delivered,
-- releases its place; the next delivery takes it. A message that is gone, or that another transaction is
-- changing, keeps its place.
-- Returns the other messages that have lost their place to an earlier one. The messages are locked; those
-- returned are so too. The caller holds lock_usage_notes.
-- Over 80 lines: one pass over each month, in steps that hand their ids on.
create or replace function messaging.count_free_services(message_ids uuid[])
returns uuid[] language plpgsql set search_path = '' as $$
declare
  place record;
  used_before integer;
  ids uuid[];
  surplus integer;
  movable uuid[];
  losers uuid[];
  moved uuid[] := '{}';
begin
  with released as (
    delete from messaging.free_service_messages f
    using messaging.messages m
    where f.message_id = any (message_ids) and m.id = any (array[f.message_id])
      and not messaging.is_service_delivery(m.delivered_at, m.pricing)
    returning f.instance_id, f.month
  )
  update messaging.free_service_months s
  set used = s.used - r.released
  from (
    select g.instance_id, g.month, count(*) as released from released g group by g.instance_id, g.month
  ) as r
  where s.instance_id = any (array[r.instance_id]) and s.month = r.month;
  for place in
    select m.instance_id, delivery.month, i.free_service_messages_per_month as allowance,
      array_agg(m.id) as ids, min(m.delivered_at) as first_at
    from messaging.messages m
    join messaging.instances i on i.id = any (array[m.instance_id])
    cross join lateral (
      select date_trunc('month', m.delivered_at at time zone 'UTC')::date as month
    ) as delivery
    where m.id = any (message_ids) and messaging.awaits_price(m.delivered_at, m.pricing)
      and messaging.is_service_delivery(m.delivered_at, m.pricing) and not m.is_typed_on_phone
      and i.free_service_messages_per_month > 0 and (
        select true from messaging.free_service_messages f where f.message_id = m.id limit 1
      ) is null
    group by m.instance_id, delivery.month, i.id
    order by m.instance_id, delivery.month
  loop
    select coalesce(max(s.used), 0) into used_before
    from messaging.free_service_months s
    where s.instance_id = place.instance_id and s.month = place.month;
    continue when used_before >= place.allowance and not exists (
      select from messaging.free_service_messages f
      where f.instance_id = place.instance_id and f.month = place.month
        and f.delivered_at > place.first_at
    );
    insert into messaging.free_service_messages (message_id, instance_id, month, delivered_at)
    select m.id, place.instance_id, place.month, m.delivered_at
    from messaging.messages m
    where m.id = any (place.ids);
    -- An allowance that was made smaller takes no place away.
    surplus := least(
      cardinality(place.ids),
      greatest(used_before + cardinality(place.ids) - place.allowance, 0)
    );
    movable := array(
      select m.id from messaging.messages m
      where m.id = any (array(
        select f.message_id from messaging.free_service_messages f
        where f.instance_id = place.instance_id and f.month = place.month
          and f.message_id <> all (place.ids)
        order by f.delivered_at desc, f.message_id desc
        limit surplus
      ))
      for no key update skip locked
    );
    losers := array(
      select f.message_id from messaging.free_service_messages f
      where f.message_id = any (place.ids || movable)
      order by f.delivered_at desc, f.message_id desc
      limit surplus
    );
    delete from messaging.free_service_messages f where f.message_id = any (losers);
    insert into messaging.free_service_months as s (instance_id, month, used)
    values (place.instance_id, place.month, cardinality(place.ids) - surplus)
    on conflict on constraint free_service_months_pkey do update
    set used = s.used + excluded.used;
    moved := moved || array(select m from unnest(movable) as m where m = any (losers));
  end loop;
  return moved;
end;
$$;
