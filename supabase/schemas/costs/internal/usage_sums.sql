-- Counts what is noted of an instance, or, where `message_ids` is given, of these messages alone: before
-- the sums are read, rates replaced, or messages deleted. See lock_usage_notes. The notes have no index.
create or replace function messaging.settle_usage_notes(
  instance_id uuid, message_ids uuid[] default null
) returns void language plpgsql set search_path = '' set enable_seqscan = on as $$
declare
  taken messaging.usage_notes[];
begin
  if not exists (
    select from messaging.usage_notes n where n.instance_id = settle_usage_notes.instance_id
  ) then
    return;
  end if;
  perform messaging.lock_usage_notes();
  with gone as (
    delete from messaging.usage_notes n
    where n.instance_id = settle_usage_notes.instance_id
      and (message_ids is null or n.message_id = any (message_ids))
    returning n as note
  )
  select array_agg(g.note) into taken from gone g;
  if taken is not null then
    perform messaging.add_usage_changes(messaging.count_notes(taken));
  end if;
end;
$$;

-- One transaction at a time takes usage_notes, so that none counts a free service message that another one
-- counts. Waits for as long as fold_usage takes, which itself waits for no message.
create or replace function messaging.lock_usage_notes()
returns void language sql set search_path = '' as $$
  select pg_advisory_xact_lock(hashtextextended('usage notes', 0));
$$;

-- The sums of these changes in every grouping, as rows of messaging.usage. One instance's or many instances'.
create or replace function messaging.grouped_usage(changes messaging.usage_changes[])
returns setof messaging.usage language sql stable set search_path = '' as $$
  select c.instance_id, g.grouping, (c.counted_at at time zone i.time_zone)::date,
    coalesce(g.key, ''), coalesce(c.currency, ''), sum(c.sent), sum(c.delivered), sum(c.free),
    sum(c.unknown), sum(c.amount)
  from unnest(changes) as c
  join messaging.instances i on i.id = any (array[c.instance_id])
  cross join lateral (
    values ('day', ''), ('category', c.category), ('type', c.pricing_type),
      ('messageType', c.message_type), ('sentBy', c.sent_by), ('agent', c.agent_id::text),
      ('batch', c.batch_id::text), ('market', c.market)
  ) as g(grouping, key)
  group by 1, 2, 3, 4, 5;
$$;

-- What a delivery counts in the sums, by the price that its message has got: `factor` is 1, or -1 where it was not
-- so after all.
create or replace function messaging.counted_delivery(message messaging.messages, factor integer)
returns messaging.usage_changes language plpgsql stable set search_path = '' as $$
declare
  counted messaging.usage_changes := messaging.counted_note(
    row(message.id, message.instance_id, message.delivered_at, true)::messaging.usage_notes, message, factor
  );
  is_free constant boolean := coalesce(
    message.estimated_cost = 0 or message.is_free_service or messaging.free_by_channel(message.pricing),
    false
  );
begin
  if message.pricing is null then
    return counted;
  end if;
  counted.category := message.pricing->>'category';
  counted.pricing_type := message.pricing->>'type';
  counted.market := message.pricing->>'market';
  if is_free then
    counted.free := factor;
  elsif message.cost_currency is null then
    counted.unknown := factor;
  else
    counted.amount := factor * message.estimated_cost;
    counted.currency := message.cost_currency;
  end if;
  return counted;
end;
$$;

-- What a noted message counts in the sums, where no price is to be known: its sending, or its delivery by a
-- gateway. `message` is NULL where it is gone; `factor` is 1, or -1 where it was not so after all. An invitation
-- counts for the batch of the message that it was sent for.
create or replace function messaging.counted_note(
  note messaging.usage_notes, message messaging.messages, factor integer
) returns messaging.usage_changes language plpgsql stable set search_path = '' as $$
declare
  counted messaging.usage_changes;
begin
  counted.instance_id := note.instance_id;
  counted.counted_at := note.counted_at;
  counted.sent := case when note.is_delivery then 0 else factor end;
  counted.delivered := case when note.is_delivery then factor else 0 end;
  counted.free := 0;
  counted.unknown := 0;
  counted.amount := 0;
  counted.category := messaging.sent_category(message.message_type, message.purpose, message.ladder);
  counted.message_type := message.message_type;
  counted.sent_by := message.sent_by;
  counted.agent_id := message.agent_id;
  counted.batch_id := coalesce(message.batch_id, (message.ladder->>'batchId')::uuid);
  return counted;
end;
$$;

-- Notes what changes in the sums beside what usage_notes tell: see usage_changes.
create or replace function messaging.add_usage_changes(changes messaging.usage_changes[])
returns void language sql set search_path = '' as $$
  insert into messaging.usage_changes (
    instance_id, counted_at, sent, delivered, free, unknown, amount, currency, category, pricing_type,
    market, message_type, sent_by, agent_id, batch_id
  )
  select c.instance_id, c.counted_at, c.sent, c.delivered, c.free, c.unknown, c.amount, c.currency,
    c.category, c.pricing_type, c.market, c.message_type, c.sent_by, c.agent_id, c.batch_id
  from unnest(changes) as c;
$$;
