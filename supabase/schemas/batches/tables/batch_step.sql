-- What walk_batches finds for a recipient: its slot, or why it gets none.
create type messaging.batch_step as (
  batch_id uuid,
  index integer,
  contact_id uuid,
  message_id uuid,
  reason text,
  slot timestamptz
);
