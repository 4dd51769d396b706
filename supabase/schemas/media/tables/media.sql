-- Files of messages: those that arrive, and those that callers upload. The row is there before the file,
-- so that every file in the storage has a row, or an outbox row that deletes it (see delete_media_files).
-- The file itself lies under storage_path in the private storage, never in the database.
create table messaging.media (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  contact_id uuid,
  origin text not null,
  kind text not null,
  status text not null default 'pending',
  mime_type text,
  size bigint,
  sha256 text,
  filename text,
  storage_path text,
  source jsonb,
  transcript text,
  last_error jsonb,
  provider_upload_id text,
  provider_uploaded_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  stored_at timestamptz,
  held_until timestamptz,
  constraint media_origin_known check (origin in ('channel', 'upload')),
  constraint media_kind_known check (kind in ('image', 'audio', 'video', 'document')),
  constraint media_status_known check (status in ('pending', 'stored', 'failed', 'expired')),
  constraint media_sha256_is_hex check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint media_stored_is_described
    check (
      status != 'stored'
      or storage_path is not null
      and mime_type is not null
      and size is not null
      and sha256 is not null
      and stored_at is not null
    )
)
with (fillfactor = 70);
create index media_contact on messaging.media (contact_id) where contact_id is not null;
create index media_age on messaging.media (instance_id, created_at, id);
create index media_kept on messaging.media (instance_id, created_at)
where status in ('pending', 'stored');
create index media_unfinished on messaging.media (created_at) where status = 'pending';
-- Uploads that no message names yet.
create index media_expiring on messaging.media (expires_at)
where status = 'stored' and expires_at is not null;
alter table messaging.media enable row level security;
comment on column messaging.media.contact_id is
  'Whose file it is; NULL for an upload, which may go to many. No foreign key: a merge moves it.';
comment on column messaging.media.origin is
  'channel: the provider has it, and it is fetched from there. upload: a caller gave it.';
comment on column messaging.media.kind is 'The type of its message, which its limits depend on.';
comment on column messaging.media.mime_type is
  'As the provider declares it; once stored, what the content is.';
comment on column messaging.media.sha256 is
  'Of the content, in hexadecimal. Before it is stored: what the channel says that it is.';
comment on column messaging.media.storage_path is
  'Where the file lies, or will. NULL when it is gone.';
comment on column messaging.media.source is
  'Where the provider has it: {url} or {id}, and what else its fetching needs.';
comment on column messaging.media.transcript is 'What is said in a voice message.';
comment on column messaging.media.last_error is 'Why it is not there: {code, message}.';
comment on column messaging.media.held_until is
  'Until then a message that waits may send it, by a template of its ladder. NULL for most files.';
comment on column messaging.media.provider_upload_id is
  'The official channel''s id of the file, where it was uploaded there.';
