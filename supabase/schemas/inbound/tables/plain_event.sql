-- A webhook with one event that its plain path can record: an inbound message, or a delivery event of an
-- accepted message. The steps of record_plain_events pass arrays of it.
create type messaging.plain_event as (
  place integer,
  instance_id uuid,
  sealed_provider_config text,
  payload text,
  provider_message_id text,
  occurred_at timestamptz,
  message_id uuid,
  status text,
  addresses text[],
  identity_keys text[],
  contact_name text,
  message_type text,
  message text,
  content jsonb,
  is_group boolean,
  chat_name text,
  may_ask_agent boolean,
  quoted_message_id uuid,
  media_id uuid,
  file jsonb,
  quoted_provider_message_id text,
  author jsonb,
  contact_id uuid,
  pricing jsonb,
  profile_picture_url text,
  is_standby boolean
);
comment on column messaging.plain_event.place is 'The call''s place among the calls, from 1.';
comment on column messaging.plain_event.sealed_provider_config is
  'What the delivery''s credential was checked against.';
comment on column messaging.plain_event.message_id is
  'Of a delivery event: our own id of the message, where the provider returns it.';
comment on column messaging.plain_event.addresses is
  'All addresses of the person, the one to send to first; identity_keys has their keys, in the same order.';
comment on column messaging.plain_event.may_ask_agent is
  'Whether an active agent is to answer the message.';
comment on column messaging.plain_event.is_standby is
  'Another responder of the number holds the conversation: a keyword is obeyed, and no agent answers.';
comment on column messaging.plain_event.quoted_message_id is
  'Our own id of the message that this one answers; NULL for none, or one that is not stored.';
comment on column messaging.plain_event.file is
  'What add_channel_media takes, where the message has a file that is to be fetched; media_id is its id.';
comment on column messaging.plain_event.pricing is
  'Of a delivery event: how the message is billed, where the provider tells.';
comment on column messaging.plain_event.contact_id is
  'The sender, where the caller has found and locked it and proved the addresses; else NULL.';
