-- What settle_messages decides about one result, once it holds the claim. Its steps pass arrays of it.
-- Rows of it are written by position: a release's new attributes stand in the order of their names, in which
-- `deno task db:migration` adds them.
create type messaging.settlement as (
  message_id uuid,
  instance_id uuid,
  contact_id uuid,
  claim_token uuid,
  lane text,
  outcome text,
  provider_message_id text,
  wa_id text,
  error jsonb,
  sealed_provider_config text,
  echo jsonb,
  is_unsent boolean,
  is_retryable boolean,
  is_retried boolean,
  retry_at timestamptz,
  is_outage boolean,
  holds_instance boolean,
  has_old_credentials boolean,
  is_revived boolean,
  pauses_agent boolean,
  called_after_ms integer,
  channel_status text
);
comment on column messaging.settlement.sealed_provider_config is
  'The credentials that the call was made with; NULL for not known.';
comment on column messaging.settlement.echo is
  'The event that the message kept while it was in flight: see resolve_pending_echo.';
comment on column messaging.settlement.is_unsent is
  'The provider was not called: the attempt does not count.';
comment on column messaging.settlement.is_retryable is
  'Whether the provider calls its refusal temporary.';
comment on column messaging.settlement.is_retried is
  'Whether the message goes back into the queue, until retry_at; else its row of the queue goes.';
comment on column messaging.settlement.is_outage is
  'The whole instance is refused, and not by a rate limit: the attempt does not count.';
comment on column messaging.settlement.holds_instance is
  'The whole instance is refused: nothing of it leaves before retry_at.';
comment on column messaging.settlement.has_old_credentials is
  'The whole instance was refused with credentials that have been replaced since.';
comment on column messaging.settlement.is_revived is
  'The message failed by an earlier attempt, which has another id; this attempt was accepted.';
comment on column messaging.settlement.pauses_agent is
  'A person''s immediate message has left: the agent''s pause begins again.';
comment on column messaging.settlement.called_after_ms is
  'How long after its claim the provider was called; NULL for not called, or not known.';
