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
