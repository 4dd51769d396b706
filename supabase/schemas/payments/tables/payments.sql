-- The payment requests of messages, one row each, written with its message. What is paid is told by the caller; the
-- channel tells nothing of it. A reference names one open request of an instance at most: it is free again when the
-- payment has ended, or its message will not leave.
create table messaging.payments (
  message_id uuid primary key,
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  reference text not null,
  amount numeric(12, 2) not null,
  currency text not null default 'BRL',
  status text not null default 'pending',
  is_open boolean not null default true,
  falls_back boolean not null default false,
  code_message_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz,
  paid_at timestamptz,
  changed_at timestamptz,
  constraint payments_status_known
    check (status in ('pending', 'paid', 'failed', 'canceled', 'expired', 'refunded')),
  constraint payments_amount_positive check (amount > 0),
  constraint payments_open_while_pending check (not is_open or status = 'pending'),
  constraint payments_paid_at_stands
    check ((status in ('paid', 'refunded')) = (paid_at is not null))
);
create unique index payments_open_reference on messaging.payments (instance_id, reference)
where is_open;
create index payments_reference on messaging.payments (instance_id, reference, created_at);
-- What the dispatcher has to end.
create index payments_due on messaging.payments (expires_at)
where is_open and expires_at is not null;
-- For list_payments.
create index payments_listed on messaging.payments (instance_id, created_at, message_id);
create index payments_of_contact on messaging.payments (contact_id, created_at, message_id);
alter table messaging.payments enable row level security;
comment on column messaging.payments.message_id is
  'The message that asks for it. No foreign key: it would cost every deleted message a look-up; see purge_messages.';
comment on column messaging.payments.reference is
  'The caller''s own name for it: its order, or the charge at its payment provider.';
comment on column messaging.payments.is_open is
  'Whether it holds its reference: pending, and its message waits, is under way or has left.';
comment on column messaging.payments.falls_back is
  'Whether its message goes as text where the channel refuses its own form: the call said so, or nothing.';
comment on column messaging.payments.code_message_id is
  'The message that is the Pix code alone, sent after a request that went as text; NULL for none.';
