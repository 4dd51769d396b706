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
  replaced_by text,
  primary key (instance_id, identity_key)
);
create index contact_addresses_contact on messaging.contact_addresses (contact_id, proven_at desc);
alter table messaging.contact_addresses enable row level security;
comment on column messaging.contact_addresses.replaced_by is
  'The user id that the provider has given the person in the place of this one: it is shown no more, and still finds the person.';
comment on column messaging.contact_addresses.changed_by is
  'The provider''s id of the event by which a contact went on under this number: it counts once.';
