-- Links to the page on which the owner of a phone connects it. Only the SHA-256 of a link's token is kept. A
-- link ends when the phone is connected, when it expires, or when it is revoked.
create table messaging.connection_links (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  token_hash text not null,
  language text,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  looks_whole_at timestamptz not null default '-infinity',
  tests integer not null default 0,
  created_at timestamptz not null default now(),
  constraint connection_links_hash_is_sha256 check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint connection_links_language_known check (language in ('pt', 'en', 'es'))
);
create unique index connection_links_hash on messaging.connection_links (token_hash);
create index connection_links_instance on messaging.connection_links (instance_id, expires_at);
alter table messaging.connection_links enable row level security;
comment on column messaging.connection_links.language is
  'The language of the page; NULL for the browser''s.';
comment on column messaging.connection_links.used_at is
  'When the phone was connected: from then on only pages that were open may go on.';
comment on column messaging.connection_links.looks_whole_at is
  'When the link''s allowance of looks is whole again: see spent_allowance.';
comment on column messaging.connection_links.tests is 'How many test messages its pages have sent.';
