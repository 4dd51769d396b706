-- A new outbound message, as add_outbound_messages stores it.
create type messaging.outbound_message as (
  id uuid,
  instance_id uuid,
  contact_id uuid,
  conversation_id uuid,
  draft jsonb,
  assigned_to uuid,
  agent_id uuid,
  mode text,
  interval_seconds integer,
  scheduled_for timestamptz,
  held_by text,
  phone_given text,
  batch_id uuid,
  timing jsonb,
  claim_token uuid,
  lease_seconds double precision
);
comment on column messaging.outbound_message.draft is 'As `message` of accept_message.';
comment on column messaging.outbound_message.timing is
  'As `delivery.timing` of accept_message, or NULL.';
comment on column messaging.outbound_message.claim_token is
  'Of an immediate message, which its caller sends within lease_seconds; NULL for one that was queued.';
comment on column messaging.outbound_message.assigned_to is
  'The operator of the conversation, who wrote the message where the draft says so.';
