-- Whether a service message that awaits its price will be one of the month's free ones: see
-- count_free_services. Looks at the order of the deliveries only where the month's allowance may not suffice.
create or replace function messaging.expects_free_service(
  message messaging.messages,
  month date,
  allowance integer
)
returns boolean
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  waiting uuid[];
  used integer;
  later integer;
begin
  waiting := array(
    select distinct n.message_id from messaging.usage_notes n
    where n.instance_id = message.instance_id and n.is_delivery
  );
  select coalesce(max(s.used), 0) into used
  from messaging.free_service_months s
  where s.instance_id = message.instance_id and s.month = expects_free_service.month;
  if used + cardinality(waiting) <= allowance then
    return true;
  end if;
  select count(*) into later
  from messaging.free_service_messages f
  where f.instance_id = message.instance_id and f.month = expects_free_service.month
    and (f.delivered_at, f.message_id) > (message.delivered_at, message.id);
  return used - later + (
    select count(*)
    from messaging.messages m
    where m.id = any (waiting) and m.id <> message.id
      and messaging.awaits_price(m.delivered_at, m.pricing)
      and messaging.is_service_delivery(m.delivered_at, m.pricing)
      and m.delivered_at >= expects_free_service.month::timestamp at time zone 'UTC'
      and (m.delivered_at, m.id) < (message.delivered_at, message.id)
  ) < allowance;
end;
$$;
