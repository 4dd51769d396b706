-- The kinds of the outbox, each of which has series of its own in the metrics: those of outbox_kind_known.
create or replace function messaging.outbox_kinds()
returns text[] language sql immutable
return array[
  'assignment_email',
  'endpoint_disabled_email',
  'instance_disconnected_email',
  'instance_held_email',
  'batch_paused_email',
  'budget_email',
  'agent_reply',
  'media_fetch',
  'media_delete',
  'media_transcription',
  'read_receipt',
  'question_notification'
];
