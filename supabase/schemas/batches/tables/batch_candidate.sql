-- A recipient whose turn walk_batches looks at: `reason` says why it gets no message, whatever its slot.
create type messaging.batch_candidate as (
  index integer,
  contact_id uuid,
  message_id uuid,
  reason text,
  is_new boolean,
  not_before timestamptz,
  reachable_until timestamptz
);
comment on type messaging.batch_candidate is
  'is_new and not_before as take_protected_slot decides them; after reachable_until the channel''s window is closed for this message.';
