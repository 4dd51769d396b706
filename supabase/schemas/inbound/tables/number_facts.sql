-- What the official channel has told last of an instance's own number.
create table messaging.number_facts (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  fact text not null,
  value text,
  status text not null,
  reason text,
  told_at timestamptz not null,
  primary key (instance_id, fact),
  constraint number_facts_known check (fact in ('name', 'quality', 'username'))
);
alter table messaging.number_facts enable row level security;
comment on column messaging.number_facts.value is
  'The display name or the username; NULL where there is none, and of a quality.';
comment on column messaging.number_facts.status is
  'The channel''s word: APPROVED, FLAGGED, reserved.';
comment on column messaging.number_facts.told_at is
  'The provider''s own instant of it: what is older comes too late.';
