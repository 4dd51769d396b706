-- What an instance has spent of its budget in the month of `clock`, by its own time zone: the estimates of what was
-- delivered (`spent`), and of what is under way, claimed, or accepted and not delivered (`under_way`).
-- `is_reached`: both together are the budget's amount, or more. `currency` is NULL, and nothing is ever
-- spent, without rates. Without a budget `under_way` is 0.
-- Stable: all of it is seen at one instant, so that nothing is counted twice while it is being folded.
-- Without jit: see rescue_stalled_instances.
create or replace function messaging.budget_state(
  instance messaging.instances, clock timestamptz, out month date, out month_ends_at timestamptz,
  out amount numeric, out currency text, out spent numeric, out under_way numeric,
  out is_reached boolean
) language plpgsql stable set search_path = '' set enable_seqscan = off set jit = off as $$
declare
  month_starts_at timestamptz;
begin
  month := date_trunc('month', clock at time zone instance.time_zone)::date;
  month_starts_at := month::timestamp at time zone instance.time_zone;
  month_ends_at := (month + interval '1 month') at time zone instance.time_zone;
  amount := (instance.budget->>'monthlyAmount')::numeric;
  select t.currency into currency from messaging.rate_tables t
  where t.workspace_id = instance.workspace_id;
  select coalesce(sum(u.amount), 0) into spent
  from messaging.usage u
  where u.instance_id = instance.id and u.grouping = 'day' and u.key = ''
    and u.day >= budget_state.month and u.day < budget_state.month + interval '1 month'
    and u.currency = budget_state.currency;
  spent := spent + (
    select coalesce(sum(c.amount), 0)
    from messaging.usage_changes c
    where c.instance_id = instance.id and c.counted_at >= month_starts_at and c.counted_at < month_ends_at
      and c.currency = budget_state.currency
  );
  under_way := 0;
  if amount is not null and currency is not null then
    select coalesce(sum(w.amount), 0) into under_way
    from (
      select b.amount from messaging.budget_under_way b
      where b.instance_id = instance.id and b.sent_at > clock - interval '30 days'
      union all
      select s.amount
      from messaging.sending_costs(array(
        select n.message_id from messaging.usage_notes n
        where n.instance_id = instance.id and not n.is_delivery
        union
        select q.message_id from messaging.message_queue q
        where q.instance_id = instance.id and q.claim_token is not null
      )) as s
      where (
        select true from messaging.budget_under_way b where b.message_id = s.message_id limit 1
      ) is null
    ) as w;
  end if;
  is_reached := coalesce(currency is not null and spent + under_way >= amount, false);
end;
$$;
