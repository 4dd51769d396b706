-- Every statement about a contact's consent to marketing, also those that changed nothing: the proof of
-- what the contact has said. Rows are only added. A merge gives them to the surviving contact, and they
-- go with their contact.
create table messaging.consent_log (
  id bigint generated always as identity primary key,
  instance_id uuid not null,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  marketing text not null,
  said_at timestamptz not null,
  source text not null,
  evidence jsonb,
  message_id uuid,
  recorded_at timestamptz not null default clock_timestamp(),
  constraint consent_log_marketing_known check (marketing in ('granted', 'denied', 'unknown'))
);
create index consent_log_contact on messaging.consent_log (contact_id, id);
alter table messaging.consent_log enable row level security;
revoke all on table messaging.consent_log from public, anon, authenticated, service_role;
grant select, insert, update (contact_id) on table messaging.consent_log to service_role;
comment on column messaging.consent_log.source is
  'api or what the caller gave; keyword, user_preferences or 131050 where the contact said it by the channel.';
comment on column messaging.consent_log.message_id is
  'The message whose whole text was a keyword. The agent does not see it.';
