-- Addresses proven to reach a contact: a `wa_id` from the provider, or the sender of an inbound
-- message. The newest is where messages go; each of them finds the contact again, however it is
-- spelled: one row per identity key, with the spelling that was proven last.
create table messaging.contact_addresses (
  instance_id uuid not null,
  address text not null,
  identity_key text not null generated always as (messaging.phone_identity_key(address)) stored,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  proven_at timestamptz not null default now(),
  changed_by text,
  primary key (instance_id, identity_key)
);
create index contact_addresses_contact on messaging.contact_addresses (contact_id, proven_at desc);
alter table messaging.contact_addresses enable row level security;
revoke all on table messaging.contact_addresses from public, anon, authenticated;
grant select, insert, update, delete on table messaging.contact_addresses to service_role;
comment on column messaging.contact_addresses.changed_by is
  'The provider''s id of the event by which a contact went on under this number: it counts once.';
