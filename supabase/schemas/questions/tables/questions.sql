-- The questions that messages ask: one row each, written with its message. A question waits until its message
-- has left, then is open until it is answered, expires or is canceled; these ends are final.
-- Of one contact at most one is open: one that leaves ends the older one.
create table messaging.questions (
  id uuid primary key,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  message_id uuid not null,
  batch_id uuid,
  key text,
  accept text not null,
  choices jsonb,
  answer_within interval not null,
  remind_after interval,
  reminder text,
  on_invalid text,
  sealed_notify text,
  agent_id uuid,
  status text not null default 'waiting',
  reason text,
  created_at timestamptz not null,
  opened_at timestamptz,
  expires_at timestamptz,
  due_at timestamptz,
  reminder_status text,
  reminder_message_id uuid,
  invalid_message_id uuid,
  pending_answer jsonb,
  answer jsonb,
  answer_message_id uuid,
  ended_at timestamptz,
  constraint questions_accept_known
    check (
      accept in (
        'choice',
        'text',
        'number',
        'date',
        'email',
        'document',
        'media',
        'location',
        'contact',
        'any'
      )
    ),
  constraint questions_status_known
    check (status in ('waiting', 'open', 'answered', 'expired', 'canceled')),
  constraint questions_reason_known
    check (
      (status = 'canceled') = (reason is not null)
      and reason in ('canceled', 'replaced', 'not_sent', 'opted_out', 'erased')
    ),
  constraint questions_answer_stands check ((status = 'answered') = (answer is not null)),
  constraint questions_end_stands check ((status in ('waiting', 'open')) = (ended_at is null)),
  constraint questions_due_while_open check (status != 'open' or due_at is not null),
  constraint questions_reminder_known
    check (reminder_status in ('waiting', 'sent', 'outside_window', 'refused'))
);
create index questions_of_contact on messaging.questions (contact_id, created_at, id);
-- What an inbound message may answer: a handful of rows.
create index questions_live on messaging.questions (contact_id)
where status in ('waiting', 'open');
-- What the dispatcher has to do: reminders and ends.
create index questions_due on messaging.questions (due_at) where due_at is not null;
-- For list_questions.
create index questions_listed on messaging.questions (instance_id, created_at, id);
create index questions_keys on messaging.questions (instance_id, key, created_at, id)
where key is not null;
create index questions_batch on messaging.questions (batch_id, created_at, id)
where batch_id is not null;
-- What a new key seals anew: those that have not ended and tell it somewhere.
create index questions_sealed on messaging.questions (id) where sealed_notify is not null;
alter table messaging.questions enable row level security;
comment on column messaging.questions.message_id is
  'The message that asks. No foreign key: it would cost every deleted message a look-up; see purge_messages.';
comment on column messaging.questions.key is
  'The caller''s own name for it, given back everywhere; NULL for none.';
comment on column messaging.questions.choices is
  'The options of the message: [{number, id, title}]; NULL for none.';
comment on column messaging.questions.sealed_notify is
  'Where its end is told, and the secret that signs it: {url, secret}, AES-256-GCM sealed by the API. NULL for nowhere, and once it has ended: see end_question.';
comment on column messaging.questions.agent_id is
  'The agent that asks, and so hears the answer; NULL for a question of a call.';
comment on column messaging.questions.due_at is
  'When the dispatcher has to look at it: for its reminder or its end, or, once it has ended, for a reminder that still waits.';
comment on column messaging.questions.reminder_status is
  'What became of the reminder; NULL where none is asked for.';
comment on column messaging.questions.pending_answer is
  'What came while the message was under way, {messageId, answer, quoted}: the answer once the message is known to have left.';
