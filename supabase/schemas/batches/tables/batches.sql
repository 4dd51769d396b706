-- Messages to a list of people, paced through the instance's queue. The recipients do not fill the
-- queue: an instance has at most one message of its running batches waiting there (see feed_batches), so
-- that starting, pausing and canceling a batch of any size changes a handful of rows.
-- `source` is what recipients are filled from, frozen when the batch was created: {template} or {message}.
-- The counts spare reading the recipients. A recipient that is `pending` in a canceled batch reads as
-- canceled, in a finished one, or once the batch has expired, as expired: nothing is rewritten for it.
create table messaging.batches (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  name text,
  status text not null default 'draft',
  source jsonb not null,
  purpose text,
  validation text not null,
  interval_seconds integer not null,
  start_at timestamptz,
  expires_at timestamptz,
  recipient_count integer not null default 0,
  pending_count integer not null default 0,
  skipped_count integer not null default 0,
  first_pending integer not null default 0,
  waiting_message uuid,
  served_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  seed text not null,
  known_from integer not null default 0,
  known_day date,
  turns integer not null default 0,
  counted_from integer not null default 1,
  pause_reason text,
  pause_error jsonb,
  follows_pace boolean not null default false,
  file_ids uuid[] not null default '{}',
  constraint batches_status_known
    check (status in ('draft', 'running', 'paused', 'canceled', 'finished')),
  constraint batches_validation_known check (validation in ('strict', 'permissive')),
  constraint batches_pause_reason_known
    check (pause_reason in ('template_refused', 'account_restricted', 'failures_in_row')),
  constraint batches_counts_fit
    check (
      recipient_count <= 100000
      and pending_count >= 0
      and skipped_count >= 0
      and pending_count + skipped_count <= recipient_count
    )
)
with (fillfactor = 50);
create index batches_of_instance on messaging.batches (instance_id, created_at, id);
create index batches_running on messaging.batches (instance_id) where status = 'running';
-- What a new key seals anew: see list_notify_seals_under_old_keys.
create index batches_sealed on messaging.batches (id)
where (source -> 'ask' ->> 'sealedNotify') is not null and status != 'canceled';
-- For skip_paid_recipients: the few batches that wait for payments.
create index batches_of_payments on messaging.batches (instance_id)
where source ? 'paymentReference' and status in ('draft', 'running', 'paused');
alter table messaging.batches enable row level security;
comment on column messaging.batches.purpose is
  'marketing, utility or authentication as the call or the template says; NULL is service.';
comment on column messaging.batches.follows_pace is
  'Whether it was made without an interval of its own: interval_seconds counts only where its instance has no pace.';
comment on column messaging.batches.seed is
  'What the jitter is drawn from, with the index. It follows from what the batch is: a dry run of the creating call knows it.';
comment on column messaging.batches.start_at is
  'No slot lies before it. It does not start the batch.';
comment on column messaging.batches.first_pending is
  'No recipient before this index is pending: where the search for the next one begins.';
comment on column messaging.batches.waiting_message is
  'The message that the batch was given last: no other one follows while it waits.';
comment on column messaging.batches.known_from is
  'On known_day, a day of the instance, every pending recipient before this index waits for another day, as a new contact: where the search for one that does not begins.';
comment on column messaging.batches.turns is
  'How many messages the batch was given: the turn of the last one.';
comment on column messaging.batches.counted_from is
  'Failures of earlier turns do not pause the batch: it has been started, resumed or retried since.';
comment on column messaging.batches.pause_reason is
  'Why the batch paused by itself: see batch_failure. NULL for all others.';
comment on column messaging.batches.pause_error is
  'The last error that it paused for, as in messages.last_error.';
comment on column messaging.batches.file_ids is
  'The files that its messages name, by themselves, in a template''s header or in a ladder: they stay while it may still send.';
comment on column messaging.batches.served_at is
  'When the batch was given a message last: running batches of an instance take turns by it.';
