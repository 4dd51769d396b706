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
