-- The markets of a workspace's rates, by calling code: the longest one of a phone wins.
create table messaging.rate_markets (
  workspace_id uuid not null references messaging.rate_tables (workspace_id)
    on delete cascade,
  calling_code text not null,
  market text not null,
  primary key (workspace_id, calling_code),
  constraint rate_markets_code check (calling_code ~ '^[0-9]{0,7}$')
);
alter table messaging.rate_markets enable row level security;
comment on column messaging.rate_markets.calling_code is
  'The first digits of the phones of the market; empty for the market of all other phones.';
