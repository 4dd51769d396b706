-- Whether a workspace has rates, and in which currency: one row per workspace that has.
create table messaging.rate_tables (
  workspace_id uuid primary key references messaging.workspaces (id)
    on delete cascade,
  currency text not null,
  replaced_at timestamptz not null default now(),
  constraint rate_tables_currency check (currency ~ '^[A-Z]{3}$')
);
alter table messaging.rate_tables enable row level security;
