-- What a delivered message costs by the operator's word. A rate holds from its date, in UTC, until the next one of its
-- market and category.
create table messaging.rates (
  workspace_id uuid not null references messaging.rate_tables (workspace_id)
    on delete cascade,
  market text not null,
  category text not null,
  effective_from date not null,
  amount numeric not null,
  primary key (workspace_id, market, category, effective_from),
  constraint rates_amount check (amount >= 0)
);
alter table messaging.rates enable row level security;
