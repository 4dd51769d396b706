-- One sending call of a batch, as accept_messages prepares and writes it. Its steps pass arrays of it.
create type messaging.acceptance as (
  place integer,
  instance_id uuid,
  time_zone text,
  has_active_agent boolean,
  phone text,
  identity_key text,
  token_id uuid,
  function_name text,
  requests_per_minute integer,
  is_token_use_due boolean,
  idempotency jsonb,
  message jsonb,
  delivery jsonb,
  message_id uuid,
  claim_token uuid,
  contact_id uuid,
  conversation_id uuid,
  operator_id uuid,
  phone_given text,
  send_address text,
  paused_until timestamptz
);
comment on column messaging.acceptance.place is 'Which call of the request it is, from 1.';
comment on column messaging.acceptance.contact_id is
  'NULL until the contact of a new phone is stored; conversation_id likewise.';
comment on column messaging.acceptance.token_id is
  'The client token that this transaction authenticated; NULL where the caller did so before.';
