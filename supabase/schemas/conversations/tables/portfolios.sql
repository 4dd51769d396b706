-- Contacts that one operator alone sees in the queue: at most one portfolio per contact.
create table messaging.portfolios (
  contact_id uuid primary key references messaging.contacts (id)
    on delete cascade,
  instance_id uuid not null,
  operator_id uuid not null references messaging.operators (id),
  created_at timestamptz not null default now()
);
create index portfolios_operator on messaging.portfolios (operator_id);
alter table messaging.portfolios enable row level security;
