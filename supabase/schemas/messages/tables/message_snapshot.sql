-- What an event keeps of a message: its row as it was then, as far as message_record shows it, and its
-- contact's name and phone. Freezing it costs a send a tenth of what it costs to write the record out,
-- so that is left to whoever reads the event: see message_event_data.
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
  batch_id uuid
);
comment on column messaging.message_snapshot.content is 'Of a received message; else NULL.';
comment on column messaging.message_snapshot.contact_phone is 'As contact_display_phone.';
comment on column messaging.message_snapshot.quoted_message_id is
  'Of a received message; else NULL.';
comment on column messaging.message_snapshot.media is
  'What message_media tells of its file; NULL for none.';
