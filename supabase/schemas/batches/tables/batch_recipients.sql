-- The people of a batch, in the order of the list, with what each of them is sent: `draft`, frozen when it
-- was accepted, and emptied into the message once that exists. `status`: `pending`, `accepted` (the message
-- exists and tells the rest) or `skipped`, for `reason`. A pending recipient with a message had it taken
-- back by a pause, or is to be tried again; one that is skipped then keeps it, ended.
-- `contact_id` is NULL where the entry names nobody that can be found. It has no foreign key: merging and
-- erasing contacts change these rows themselves.
create table messaging.batch_recipients (
  batch_id uuid not null references messaging.batches (id)
    on delete cascade,
  index integer not null,
  contact_id uuid,
  phone text,
  status text not null default 'pending',
  reason text,
  message_id uuid,
  draft jsonb,
  turn integer,
  card_id text,
  primary key (batch_id, index),
  constraint batch_recipients_status_known check (status in ('pending', 'accepted', 'skipped'))
)
with (fillfactor = 80);
create index batch_recipients_contact on messaging.batch_recipients (contact_id, batch_id)
where contact_id is not null;
create index batch_recipients_pending on messaging.batch_recipients (batch_id, index)
where status = 'pending';
create index batch_recipients_payment on messaging.batch_recipients (
  batch_id,
  (draft ->> 'paymentReference')
)
where status = 'pending' and draft ->> 'paymentReference' is not null;
create index batch_recipients_untold on messaging.batch_recipients (batch_id)
where status != 'accepted' and message_id is not null;
create index batch_recipients_turns on messaging.batch_recipients (batch_id, turn)
where turn is not null;
alter table messaging.batch_recipients enable row level security;
comment on column messaging.batch_recipients.phone is
  'As the list has it: where the message goes until an address is proven.';
comment on column messaging.batch_recipients.turn is
  'When its message was placed in the queue last, counted through the batch: the order in which they leave.';
comment on column messaging.batch_recipients.draft is
  '{messageType, message, content, mediaId, cardId, metadata, paymentReference}; NULL for a skipped entry with errors.';
