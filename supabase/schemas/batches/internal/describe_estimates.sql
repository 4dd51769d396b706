-- What the messages of a batch that are still to be sent would cost: {estimatedCost, by the category that the
-- template has now, or the message; estimatedCostAfterChange, by the one that the channel has announced for
-- the template}. Each as estimate_sends gives it; the second is NULL where nothing is announced.
create or replace function messaging.describe_estimates(
  instance messaging.instances, batch messaging.batches, sends messaging.planned_send[]
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  announced constant text := messaging.announced_category(batch);
  present constant text := (
    select lower(t.category) from messaging.message_templates t
    where t.id = (batch.source->'template'->>'templateId')::uuid
  );
  message_type constant text := case
    when batch.source->'template' is null then batch.source->'message'->>'messageType'
    else 'template'
  end;
begin
  return jsonb_build_object(
    'estimatedCost', messaging.estimate_sends(
      instance, coalesce(present, messaging.sent_category(message_type, batch.purpose, null)), sends
    ),
    'estimatedCostAfterChange', case
      when announced is not null then messaging.estimate_sends(instance, announced, sends)
    end
  );
end;
$$;

-- What these messages would cost if all were delivered as they are sent, as count_notes would estimate
-- it: {amount, currency, unknown}. `unknown` counts those without a rate; `currency` is NULL where the
-- workspace has no rates. What is left of the month's free service messages is counted off, in the order of
-- sending. NULL for gateways, which bill no message. `category`, in lower case: of
-- those that have none of their own.
-- Reads each market and each rate once for all phones with the same first digits on the same day.
create or replace function messaging.estimate_sends(
  instance messaging.instances, category text, sends messaging.planned_send[]
) returns jsonb language sql stable set search_path = '' set enable_seqscan = off as $$
  with ordered as (
    select left(s.phone, 7) as prefix, (s.sent_at at time zone 'UTC')::date as day, s.is_estimated,
      own.category,
      row_number() over (
        partition by own.category, date_trunc('month', s.sent_at at time zone 'UTC')
        order by s.sent_at
      ) as place
    from unnest(sends) as s
    cross join lateral (select coalesce(s.category, estimate_sends.category) as category) as own
  ),
  billed as (
    select o.prefix, o.day, o.category, count(*) as number
    from ordered o
    left join messaging.free_service_months f
      on f.instance_id = instance.id and f.month = date_trunc('month', o.day)::date
    where o.is_estimated and (
      o.category <> 'service'
      or o.place > instance.free_service_messages_per_month - coalesce(f.used, 0)
    )
    group by o.prefix, o.day, o.category
  )
  select messaging.describe_cost(
      coalesce(sum(b.number * rate.amount), 0),
      (select t.currency from messaging.rate_tables t where t.workspace_id = instance.workspace_id)
    )
    || jsonb_build_object('unknown', coalesce(sum(b.number) filter (where rate.amount is null), 0))
  from billed b
  left join lateral messaging.market_of_phone(instance.workspace_id, b.prefix) as place on true
  left join lateral messaging.rate_on(
    instance.workspace_id, place.market, b.category, b.day
  ) as rate on true
  having instance.provider_class = 'official';
$$;
