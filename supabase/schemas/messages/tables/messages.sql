-- Every message, sent or received. An outbound message is stored before its provider is called.
-- A queued message that is being sent keeps its status until it is settled: message_queue has the
-- claim.
create table messaging.messages (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null,
  contact_id uuid not null,
  conversation_id uuid not null,
  direction text not null,
  message_type text not null,
  message text,
  content jsonb,
  card_id text,
  sent_by text,
  operator_id uuid,
  agent_id uuid,
  delay_typing_ms integer,
  mode text,
  interval_seconds integer,
  status text not null,
  provider_message_id text,
  scheduled_for timestamptz,
  held_by text,
  attempts smallint not null default 0,
  last_error jsonb,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  canceled_at timestamptz,
  unconfirmed_at timestamptz,
  is_group boolean not null default false,
  chat_name text,
  phone_given text,
  confirmed_by_echo boolean not null default false,
  is_typed_on_phone boolean not null default false,
  is_retryable boolean not null default false,
  lost_claim_token uuid,
  metadata jsonb,
  purpose text,
  batch_id uuid,
  quoted_message_id uuid,
  media_id uuid,
  expires_at timestamptz,
  cancel_key text,
  deleted_at timestamptz,
  edited_at timestamptz,
  quoted_provider_message_id text,
  author jsonb,
  channel_status text,
  pauses_agent boolean not null default true,
  change jsonb,
  pricing jsonb,
  group_receipts jsonb,
  estimated_cost numeric,
  cost_currency text,
  is_free_service boolean,
  ladder jsonb,
  cancel_on jsonb,
  payment_reference text,
  cancel_reason text,
  question_id uuid,
  handled_by text,
  constraint messages_belong_to_their_conversation
    foreign key (instance_id, contact_id, conversation_id) references messaging.conversations (
      instance_id,
      contact_id,
      id
    )
      on delete cascade,
  constraint messages_state
    check (
      messaging.is_message_state(direction, status, mode, held_by, sent_at, message_type, content)
    )
);
-- Covers unsent messages too: deleting a conversation finds its messages by it. A contact belongs to
-- one instance, so the index does not begin with the instance: before the table has statistics, the
-- planner would use such a prefix for look-ups by provider_message_id and read every message of the
-- instance (a webhook of 4,000 messages took more than 8 s).
create index messages_history on messaging.messages (contact_id, sent_at desc);
create index messages_provider_id on messaging.messages (instance_id, provider_message_id)
where provider_message_id is not null;
create unique index messages_inbound_once on messaging.messages (instance_id, provider_message_id)
where direction = 'inbound';
create index messages_sent on messaging.messages (instance_id, sent_at desc)
where direction = 'outbound' and sent_at is not null and status != 'failed';
create index messages_failures on messaging.messages (
  instance_id,
  status,
  (coalesce(failed_at, unconfirmed_at)) desc
)
where status in ('failed', 'unconfirmed');
-- For list_messages. Without the id: it costs a send less, and messages of one instant are few.
-- The predicate is always true and only list_messages states it: no other look-up within an instance,
-- such as that by provider_message_id, can take this index (see messages_history).
create index messages_stored on messaging.messages (instance_id, created_at)
where created_at > '-infinity';
create index messages_card on messaging.messages (instance_id, card_id, created_at)
where card_id is not null;
-- The statuses that a message which arrives never has: a successful send does not write it.
create index messages_stopped on messaging.messages (instance_id, status, created_at)
where status in ('failed', 'canceled', 'unconfirmed', 'expired');
create index messages_media on messaging.messages (media_id) where media_id is not null;
-- Only what still waits: most messages are in neither, so that a plain send writes neither.
create index messages_expiring on messaging.messages (expires_at)
where expires_at is not null and status = 'queued';
create index messages_cancel_key on messaging.messages (instance_id, cancel_key)
where cancel_key is not null and status = 'queued';
-- For cancel_on_payment and bound_payment_followers. The shortest predicate: each statement that writes a
-- message prepares it again.
create index messages_payment_reference on messaging.messages (
  instance_id,
  payment_reference,
  status
)
where payment_reference is not null;
create index messages_batch on messaging.messages (batch_id, created_at) where batch_id is not null;
-- What of a batch is still to leave: a handful of rows.
create index messages_batch_waiting on messaging.messages (batch_id)
where batch_id is not null and status = 'queued';
-- For newest_referral: the few messages that an ad or post brought.
create index messages_referral on messaging.messages (contact_id, sent_at desc)
where content ? 'referral';
-- For offered_choices: the few messages with options.
create index messages_rendered on messaging.messages (contact_id, sent_at desc)
where content ? 'rendering';
-- For messages that go by a ladder (see decide_ladder), and their invitations: what of them waits for a contact.
-- One index for both, and the shortest predicate: each statement that writes a message prepares it again.
create index messages_laddered on messaging.messages (contact_id, created_at)
where ladder is not null;
alter table messaging.messages enable row level security;
comment on column messaging.messages.message is
  'The text, the caption, the body of an option list, or the wording of a template.';
comment on column messaging.messages.content is
  'What a message of this type holds beside its words, NULL for a plain text; see shared/model/message_content.ts.';
comment on column messaging.messages.phone_given is
  'The phone as the sending call wrote it, where the contact''s own is spelled otherwise.';
comment on column messaging.messages.confirmed_by_echo is
  'The provider''s answer was lost; an echo of the message''s words proved that it left, and its id.';
comment on column messaging.messages.is_retryable is
  'Whether it failed by a refusal that the provider calls temporary: the same Idempotency-Key tries again.';
comment on column messaging.messages.lost_claim_token is
  'The claim whose outcome is unknown. Its worker may still report that it did not call the provider: see take_back_unsent.';
comment on column messaging.messages.is_typed_on_phone is
  'A person wrote it on the business''s own phone, or another program sent it, as the provider reports. sent_by does not tell: it is any text that the caller chose.';
comment on column messaging.messages.chat_name is 'The name that the provider gives the chat.';
comment on column messaging.messages.metadata is
  'Keys and texts that the sending call gave, for the caller''s own use; NULL for none.';
comment on column messaging.messages.purpose is
  'marketing, utility or authentication as the sending call or its template says; NULL is service. opt_out_confirmation is this service''s own answer to a keyword, and pauses no agent; agent_answer is an agent''s own answer, which a pause stops while it waits.';
comment on column messaging.messages.quoted_message_id is
  'The message that this one answers, as the provider reports; NULL for none, or one that was not stored. No foreign key: it would cost every deleted message a look-up.';
comment on column messaging.messages.media_id is
  'Its file (see media); NULL for none, and for files that this service does not keep. No foreign key: it would cost every deleted file a look-up.';
comment on column messaging.messages.expires_at is
  'What has not left by then is never sent: it becomes `expired`. NULL for no end.';
comment on column messaging.messages.cancel_key is
  'The caller''s name for messages that it may cancel together while they wait.';
comment on column messaging.messages.cancel_on is
  'What cancels it while it waits, a list of reply and payment; NULL for nothing. contacts.cancels_on_reply says that a contact may have one.';
comment on column messaging.messages.payment_reference is
  'The payment request whose end cancels it while it waits; NULL without cancel_on payment.';
comment on column messaging.messages.cancel_reason is
  'Why it was canceled: replied, paid or payment_canceled. Of one that a worker had claimed then, why it is not tried again. NULL for all others.';
comment on column messaging.messages.batch_id is
  'The batch that it was sent for; NULL for all others.';
comment on column messaging.messages.edited_at is
  'When it was edited last: by a person, as the provider tells, else when that was told; by a call, when the provider had done it. NULL where nobody did.';
comment on column messaging.messages.quoted_provider_message_id is
  'The provider''s id of the message that this one answers, whether or not that is stored.';
comment on column messaging.messages.author is
  'Who wrote it in a group, as the provider tells: {name, phone, userId, lid}, each where known. NULL outside groups, where the contact did.';
comment on column messaging.messages.channel_status is
  'What the provider said when it accepted the message, where it has not gone on at once: held_for_quality_assessment, paused.';
comment on column messaging.messages.pauses_agent is
  'Whether the agent pauses for it as for any person''s message; false where the call said pauseAgent: false.';
comment on column messaging.messages.pricing is
  'How the official channel bills it, see known_pricing; NULL until its delivery is told, and for gateways.';
comment on column messaging.messages.estimated_cost is
  'What its delivery cost by the workspace''s rates then, in cost_currency; NULL where no rate was known: see count_notes.';
comment on column messaging.messages.is_free_service is
  'Of a delivered service message: whether it is one of the month''s free ones, see count_free_services; NULL for all others.';
comment on column messaging.messages.group_receipts is
  'Who of a group has got or read it: [{phone, userId, lid, deliveredAt, readAt}], see add_group_receipt.';
comment on column messaging.messages.ladder is
  'What happens outside the conversation window, where the call said so: {rungs, place (of the rung taken, from 0; absent for the message itself), from, refused, openSince (the contact''s message by which the window was open), closedAt (the one by which the channel called it closed), shown (what records tell)}, see decide_ladder. Of an invitation {invitationFor, shown}. NULL for all others.';
comment on column messaging.messages.question_id is
  'Of a message that asks, its question; of a received one, the question that it answers. NULL for all others. No foreign key: it would cost every deleted question a look-up.';
comment on column messaging.messages.handled_by is
  'Who held the conversation where that was another responder of the number, as conversations.handled_by; NULL for us.';
comment on column messaging.messages.deleted_at is
  'When the provider told that it is deleted for everyone, by a person or for a call; NULL for all others. Its words stay, for the history.';
comment on column messaging.messages.read_at is
  'When its recipient read it, as the provider tells; of a received one when the channel was told that it is read.';
comment on column messaging.messages.change is
  'The last edit or deletion that a call asked for: {token, kind, status (under_way, done, refused, unknown), message, requestedAt, leaseUntil, error, awaited (digests of edits whose echo is to come)}; NULL where none did. See begin_message_change.';
