-- What remains of an erased person who had denied marketing: an HMAC of each identity, so that the person
-- is `denied` again when an import, a sending call or an event brings them back. Nothing remains of others.
-- The HMAC's key is sealed by the API (denial_key): the database alone cannot name the person of a hash.
create table messaging.kept_denials (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  identity_hash text not null,
  kept_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, identity_hash)
);
alter table messaging.kept_denials enable row level security;
