-- The alerts of a budget that were recorded: once for each month and amount.
create table messaging.budget_alerts (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  month date not null,
  amount numeric not null,
  kind text not null,
  primary key (instance_id, month, amount, kind),
  constraint budget_alerts_kind_known check (kind in ('warning', 'reached'))
);
alter table messaging.budget_alerts enable row level security;
comment on column messaging.budget_alerts.month is 'Its first day, in the instance''s time zone.';
