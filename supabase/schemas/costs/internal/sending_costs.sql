-- What these messages, which are being sent or have just been, will cost when they are delivered: by the rates of
-- today, and 0 where none is known. A service message costs nothing while some of the month's free ones are left.
-- A reaction has no row: the channel bills none, and never tells of its delivery.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.sending_costs(message_ids uuid[])
returns table (message_id uuid, instance_id uuid, amount numeric) language sql stable
set search_path = '' set enable_seqscan = off as $$
  select m.id, m.instance_id, case
      when billed.category = 'service' and i.free_service_messages_per_month > coalesce((
        select f.used from messaging.free_service_months f
        where f.instance_id = m.instance_id
          and f.month = date_trunc('month', clock_timestamp() at time zone 'UTC')::date
      ), 0) then 0
      else coalesce(rate.amount, 0)
    end
  from messaging.messages m
  join messaging.instances i on i.id = any (array[m.instance_id])
  join messaging.contacts c on c.id = any (array[m.contact_id])
  cross join lateral (
    select coalesce(
      lower(m.pricing->>'category'), messaging.sent_category(m.message_type, m.purpose, m.ladder)
    ) as category
  ) as billed
  left join lateral messaging.market_of_phone(i.workspace_id, c.phone) as place on true
  left join lateral messaging.rate_on(
    i.workspace_id, place.market, billed.category, (clock_timestamp() at time zone 'UTC')::date
  ) as rate on true
  where m.id = any (message_ids) and i.provider_class = 'official' and m.message_type <> 'reaction';
$$;
