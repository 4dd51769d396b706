-- Identity is (instance, identity key): both spellings of a Brazilian mobile are one contact.
create table messaging.contacts (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
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
  consent_marketing text not null default 'unknown',
  consent_at timestamptz,
  consent_source text,
  merged_into uuid,
  channel_identity text,
  phone_book_name text,
  phone_book_at timestamptz,
  profile_picture_url text,
  profile_picture_at timestamptz,
  identity_change jsonb,
  cancels_on_reply boolean not null default false,
  awaits_answer boolean not null default false,
  constraint contacts_identity unique (instance_id, identity_key),
  constraint contacts_phone_digits check (phone ~ '^[0-9]{8,15}$'),
  constraint contacts_custom_labels_object check (jsonb_typeof(custom_labels) = 'object'),
  constraint contacts_consent_known check (consent_marketing in ('granted', 'denied', 'unknown')),
  constraint contacts_merged_into
    foreign key (merged_into) references messaging.contacts (id)
      on delete cascade
);
-- The list of contacts by consent; most have said nothing.
create index contacts_consent on messaging.contacts (instance_id, consent_marketing)
where consent_marketing != 'unknown';
-- Merges that still move messages.
create index contacts_merging on messaging.contacts (merged_into) where merged_into is not null;
alter table messaging.contacts enable row level security;
comment on column messaging.contacts.phone is
  'As first given: the address to send to until another one is proven. NULL for a contact that wrote without showing a number.';
comment on column messaging.contacts.is_profile_name is
  'The name is what the contact calls itself, as a webhook told it: never an instruction to a model, and replaced by any name that is given.';
comment on column messaging.contacts.consent_marketing is
  'Whether the contact wants marketing messages, as consent_log tells; since consent_at, by consent_source.';
comment on column messaging.contacts.channel_identity is
  'What the channel calls the key that the person writes with: another one means a new phone or installation. NULL where it does not tell.';
comment on column messaging.contacts.merged_into is
  'The contact that it is now, while its messages move there, see move_merged_messages; NULL for a living contact.';
comment on column messaging.contacts.awaits_answer is
  'Whether a question to the contact may wait or be open: what arrives is looked at then, see match_question.';
comment on column messaging.contacts.phone_book_name is
  'The name in the address book of the business''s phone, since phone_book_at; NULL where there is none.';
comment on column messaging.contacts.profile_picture_url is
  'The channel''s address of the person''s picture, as told at profile_picture_at.';
comment on column messaging.contacts.identity_change is
  'How the person''s last change of key was told: {at, sources, names, former}, see record_identity_event; NULL where none was.';
comment on column messaging.contacts.cancels_on_reply is
  'Messages to it may wait with cancelOn: reply. Set with such a message, cleared by the reply that finds none left: see cancel_on_reply.';
