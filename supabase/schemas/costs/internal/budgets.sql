-- Records that an instance's budget is nearly spent (budget.warning, at warnAtPercent), or reached: an event, and
-- an e-mail to the workspace's alert address, where there is one. Each once for a month and an amount.
create or replace function messaging.tell_budget(instance messaging.instances, clock timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  state constant record := messaging.budget_state(instance, clock);
  alert record;
  data jsonb;
begin
  for alert in
    select k.kind
    from (
      values
        ('warning', (instance.budget->>'warnAtPercent')::numeric),
        ('reached', 100)
    ) as k (kind, percent)
    where state.currency is not null
      and (state.spent + state.under_way) * 100 >= state.amount * k.percent
  loop
    insert into messaging.budget_alerts (instance_id, month, amount, kind)
    values (instance.id, state.month, state.amount, alert.kind)
    on conflict do nothing;
    continue when not found;
    data := messaging.describe_budget(instance, clock) || jsonb_build_object(
      'instanceId', instance.id,
      'month', to_char(state.month, 'YYYY-MM'),
      'warnAtPercent', instance.budget->'warnAtPercent',
      'stops', instance.budget->'stops'
    );
    perform messaging.record_event(instance.id, null, 'budget.' || alert.kind, data);
    insert into messaging.outbox (workspace_id, kind, payload)
    -- The warning's e-mail is one of its own where all of the budget is used at once.
    select w.id, 'budget_email', data || jsonb_build_object(
      'instanceName', instance.name, 'alertEmail', w.alert_email,
      'reached', alert.kind = 'reached'
    )
    from messaging.workspaces w
    where w.id = instance.workspace_id and w.alert_email is not null;
  end loop;
end;
$$;

-- An instance's budget and what is spent of it, as answers and events show it: {monthlyAmount, currency, spent,
-- underWay, reached}. monthlyAmount is NULL without a budget. See budget_state.
create or replace function messaging.describe_budget(
  instance messaging.instances, clock timestamptz
) returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'monthlyAmount', trim_scale(s.amount)::text,
    'currency', s.currency,
    'spent', trim_scale(s.spent)::text,
    'underWay', trim_scale(s.under_way)::text,
    'reached', s.is_reached
  )
  from messaging.budget_state(instance, clock) as s;
$$;

-- Until when a message that is accepted now waits because its instance's budget is reached; NULL where it need not.
-- See stopped_by_budget.
create or replace function messaging.budget_hold(
  instance messaging.instances, purpose text, clock timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  if not messaging.stopped_by_budget(instance.budget, purpose, null) then
    return null;
  end if;
  return nullif(messaging.reached_budget_ends_at(instance, clock), '-infinity');
end;
$$;

-- When what a reached budget stops may leave (see stopped_by_budget), in the send window of an instance's next
-- month; `-infinity` where the budget is not reached, or stops nothing.
create or replace function messaging.reached_budget_ends_at(
  instance messaging.instances, clock timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  state record;
begin
  if instance.budget is null or instance.budget->'stops' = '[]' then
    return '-infinity';
  end if;
  state := messaging.budget_state(instance, clock);
  return case
    when state.is_reached then messaging.after_hold(instance, state.month_ends_at, interval '0')
    else '-infinity'
  end;
end;
$$;

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

-- Takes an instance's budget until the transaction ends, so that who reads after it what is left (see budget_state)
-- sees all that others have taken of it. In a statement of its own, before the one that reads. Without `waits`
-- returns false where another transaction has it; such a claim comes again.
create or replace function messaging.lock_budget(instance_id uuid, waits boolean)
returns boolean language plpgsql set search_path = '' as $$
declare
  lock_key constant bigint := hashtextextended('budget ' || instance_id, 0);
begin
  if not waits then
    return pg_try_advisory_xact_lock(lock_key);
  end if;
  perform pg_advisory_xact_lock(lock_key);
  return true;
end;
$$;
