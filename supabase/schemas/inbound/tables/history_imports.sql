-- How far the import of an instance's earlier messages is (coexistence of the official channel): one row
-- from the first chunk, or the refusal, on.
create table messaging.history_imports (
  instance_id uuid primary key references messaging.instances (id)
    on delete cascade,
  phase smallint,
  progress smallint,
  error jsonb,
  told_at timestamptz not null default now(),
  constraint history_imports_progress check (progress between 0 and 100)
);
alter table messaging.history_imports enable row level security;
comment on column messaging.history_imports.phase is
  'The furthest phase that the channel told: 0 the last day, 1 the last 90 days, 2 the last 180; NULL for none.';
comment on column messaging.history_imports.error is
  '{code, message} of the channel where the business does not share its history: 2593109.';
