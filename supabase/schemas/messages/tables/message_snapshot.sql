-- What an event keeps of a message: its row as it was then, as far as message_record shows it, and its
-- contact's name, phone and other identities. Freezing it costs a send a tenth of what it costs to write the
-- record out, so that is left to the reading of the event: see message_event_data.
-- A type of its own, not that of the table: no column with a default could be added to the table then.
-- The attributes of the table are named as there.
create type messaging.message_snapshot as (
  id uuid,
  direction text,
  status text,
  message_type text,
  message text,
  content jsonb,
  card_id text,
  metadata jsonb,
  contact_id uuid,
  conversation_id uuid,
  provider_message_id text,
  scheduled_for timestamptz,
  held_by text,
  created_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  attempts smallint,
  last_error jsonb,
  contact_name text,
  contact_phone text,
  quoted_message_id uuid,
  media jsonb,
  batch_id uuid,
  quoted_provider_message_id text,
  author jsonb,
  is_group boolean,
  chat_name text,
  sent_by text,
  is_typed_on_phone boolean,
  edited_at timestamptz,
  deleted_at timestamptz,
  channel_status text,
  contact_identities jsonb,
  purpose text,
  cancel_key text,
  expires_at timestamptz,
  pricing jsonb,
  group_receipts jsonb,
  estimated_cost numeric,
  cost_currency text,
  ladder jsonb,
  cancel_on jsonb,
  payment_reference text,
  cancel_reason text,
  question jsonb,
  handled_by text
);
comment on column messaging.message_snapshot.content is
  'Of a message that a person wrote, the contact or an employee on the phone; else NULL.';
comment on column messaging.message_snapshot.contact_phone is 'As contact_display_phone.';
comment on column messaging.message_snapshot.contact_identities is
  'As shown_identities; NULL for a contact that has none.';
comment on column messaging.message_snapshot.question is
  'What a record shows of it, see shown_question; NULL where the message neither asks nor answers.';
comment on column messaging.message_snapshot.ladder is 'What a record shows of it alone: {shown}.';
comment on column messaging.message_snapshot.media is
  'What message_media tells of its file; NULL for none.';
