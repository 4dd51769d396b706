-- What persons have said about marketing messages in workspaces with the peopleScope `workspace`: a row for each
-- identity by which the person is known there. The newest word of any of a contact's identities counts
-- for the contact, whatever its own row says yet: see effective_consent.
-- A word is only added, so that speakers at several instances never wait for each other. Older words of an
-- identity are deleted later, see tell_person; those of a person of whom no contact is left, by erase_rows.
create table messaging.person_words (
  id bigint generated always as identity primary key,
  workspace_id uuid not null references messaging.workspaces (id)
    on delete cascade,
  identity_key text not null,
  marketing text not null,
  said_at timestamptz not null,
  source text not null,
  constraint person_words_marketing_known check (marketing in ('granted', 'denied', 'unknown'))
);
create index person_words_newest on messaging.person_words (
  workspace_id,
  identity_key,
  said_at desc,
  id desc
);
alter table messaging.person_words enable row level security;
comment on column messaging.person_words.source is 'As in consent_log.';
