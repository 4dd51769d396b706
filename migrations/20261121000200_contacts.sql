-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/functions/phone_identity_key.sql
-- The key by which a phone identifies one person (decisions, section 3); for identity alone, never
-- an address. Brazil: a mobile without its ninth digit gets it. Mexico: 521 = 52. Argentina: 549 = 54.
-- shared/phone.ts holds the same rule; a test compares the two.
create or replace function public.phone_identity_key(phone text)
returns text
language plpgsql
immutable parallel safe
set search_path = ''
as $$
begin
  return case
    when phone ~ '^55[0-9]{2}[6-9][0-9]{7}$' then left(phone, 4) || '9' || substr(phone, 5)
    when phone ~ '^521[0-9]{10}$' then '52' || substr(phone, 4)
    when phone ~ '^549[0-9]{10}$' then '54' || substr(phone, 4)
    else phone
  end;
end;
$$;
revoke all on function public.phone_identity_key(text) from public, anon, authenticated;
grant execute on function public.phone_identity_key(text) to service_role;

-- source: supabase/schemas/tables/contacts.sql
-- Identity is (instance, identity key): both spellings of a Brazilian mobile are one contact.
create table public.contacts (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references public.instances (id) on delete cascade,
  phone text,
  identity_key text not null,
  name text,
  email text,
  company text,
  job_title text,
  notes text,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  custom_labels jsonb not null default '{}',
  is_favorite boolean not null default false,
  is_archived boolean not null default false,
  is_blocked boolean not null default false,
  origin text not null,
  last_inbound_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  is_profile_name boolean not null default false,
  constraint contacts_identity unique (instance_id, identity_key),
  constraint contacts_phone_digits check (phone ~ '^[0-9]{8,15}$'),
  constraint contacts_custom_labels_object check (jsonb_typeof(custom_labels) = 'object')
);
alter table public.contacts enable row level security;
revoke all on table public.contacts from public, anon, authenticated;
grant select, insert, update, delete on table public.contacts to service_role;
comment on column public.contacts.phone is
  'As first given: the address to send to until another one is proven. NULL for who wrote to us without showing a number.';
comment on column public.contacts.is_profile_name is
  'The name is what the contact calls itself, as a webhook told it: never an instruction to a model, and replaced by any name that is given.';

-- source: supabase/schemas/tables/contact_addresses.sql
-- Addresses proven to reach a contact: a `wa_id` from the provider, or the sender of an inbound
-- message. The newest is where messages go; each of them finds the contact again, however it is
-- spelled: one row per identity key, with the spelling that was proven last.
create table public.contact_addresses (
  instance_id uuid not null,
  address text not null,
  identity_key text not null generated always as (public.phone_identity_key(address)) stored,
  contact_id uuid not null references public.contacts (id) on delete cascade,
  proven_at timestamptz not null default now(),
  changed_by text,
  primary key (instance_id, identity_key)
);
create index contact_addresses_contact on public.contact_addresses (contact_id, proven_at desc);
alter table public.contact_addresses enable row level security;
revoke all on table public.contact_addresses from public, anon, authenticated;
grant select, insert, update, delete on table public.contact_addresses to service_role;
comment on column public.contact_addresses.changed_by is
  'The provider''s id of the event by which a contact went on under this number: it counts once.';

-- source: supabase/schemas/tables/tags.sql
-- Labels of an instance, told apart without regard to case, kept as first written.
create table public.tags (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references public.instances (id) on delete cascade,
  name text not null,
  color text not null,
  created_at timestamptz not null default now(),
  constraint tags_name_length check (char_length(name) between 1 and 50 and name = btrim(name)),
  constraint tags_color_hex check (color ~ '^#[0-9a-f]{6}$')
);
create unique index tags_name on public.tags (instance_id, lower(name));
alter table public.tags enable row level security;
revoke all on table public.tags from public, anon, authenticated;
grant select, insert, update, delete on table public.tags to service_role;

-- source: supabase/schemas/tables/contact_tags.sql
create table public.contact_tags (
  contact_id uuid not null references public.contacts (id) on delete cascade,
  tag_id uuid not null references public.tags (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (contact_id, tag_id)
);
create index contact_tags_tag on public.contact_tags (tag_id);
alter table public.contact_tags enable row level security;
revoke all on table public.contact_tags from public, anon, authenticated;
grant select, insert, update, delete on table public.contact_tags to service_role;

-- source: supabase/schemas/functions/find_contact.sql
-- The contact of a phone, by identity key: its own, else that of an address proven to be this
-- contact's; a row of NULLs when there is none. Writes nothing.
create or replace function public.find_contact(instance_id uuid, phone text)
returns public.contacts
language plpgsql
stable
set search_path = ''
as $$
declare
  wanted_key constant text := public.phone_identity_key(phone);
  contact public.contacts;
begin
  select c.* into contact
  from public.contacts c
  where c.instance_id = find_contact.instance_id
    and c.identity_key = wanted_key;
  if not found then
    select c.* into contact
    from public.contact_addresses a
    join public.contacts c on c.id = a.contact_id
    where a.instance_id = find_contact.instance_id and a.identity_key = wanted_key;
  end if;
  return contact;
end;
$$;
revoke all on function public.find_contact(uuid, text) from public, anon, authenticated;
grant execute on function public.find_contact(uuid, text) to service_role;

-- source: supabase/schemas/functions/resolve_contact.sql
-- The contact of a phone on an instance, created with origin `api` when there is none
-- (specification, section 1, rule 1). Found by identity key, else by an address proven before.
-- Simultaneous calls get the same contact: the unique index decides, not the look-up. A new one waits
-- for events that show whose address the phone is by now. The contact stays until the caller commits.
-- Errors: 40001 where it has been merged with another one since it was found: to be called again.
create or replace function public.resolve_contact(
  instance_id uuid,
  phone text,
  out contact public.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
begin
  is_new := false;
  contact := public.find_contact(instance_id, phone);
  if contact.id is null then
    perform public.lock_addresses(instance_id, array[phone]);
    contact := public.find_contact(instance_id, phone);
  end if;
  if contact.id is null then
    insert into public.contacts (instance_id, phone, identity_key, origin)
    values (
      resolve_contact.instance_id, resolve_contact.phone,
      public.phone_identity_key(resolve_contact.phone), 'api'
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := contact.id is not null;
    if is_new then
      return;
    end if;
    contact := public.find_contact(instance_id, phone);
  end if;
  -- Somebody who has been merged away meanwhile must not be written to: it would be lost.
  perform from public.contacts c where c.id = contact.id for key share;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
end;
$$;
revoke all on function public.resolve_contact(uuid, text) from public, anon, authenticated;
grant execute on function public.resolve_contact(uuid, text) to service_role;

-- source: supabase/schemas/functions/address_of.sql
-- Where a message to the contact goes: the address last proven to work, else the phone as the call
-- gave it, else (NULL) as the contact was first given (decisions, section 3).
create or replace function public.address_of(contact public.contacts, phone_given text)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select a.address from public.contact_addresses a
      where a.contact_id = contact.id
      order by a.proven_at desc
      limit 1
    ),
    phone_given,
    contact.phone
  );
end;
$$;
revoke all on function public.address_of(public.contacts, text) from public, anon, authenticated;
grant execute on function public.address_of(public.contacts, text) to service_role;

-- source: supabase/schemas/functions/phone_of.sql
-- The phone to show for a contact: as it was first given, unless the contact has said that it goes on
-- under another number and has not been met under an earlier one since. NULL for who never showed one.
create or replace function public.phone_of(contact public.contacts)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select case when newest.changed_by is not null then newest.address end
      from (
        select a.address, a.changed_by
        from public.contact_addresses a
        where a.contact_id = contact.id
        order by a.proven_at desc
        limit 1
      ) as newest
    ),
    contact.phone
  );
end;
$$;
revoke all on function public.phone_of(public.contacts) from public, anon, authenticated;
grant execute on function public.phone_of(public.contacts) to service_role;
