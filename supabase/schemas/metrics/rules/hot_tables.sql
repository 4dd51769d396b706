-- The tables that sending and receiving write most: what the metrics and the bench soak tell of dead rows.
create or replace function messaging.hot_tables()
returns text[] language sql immutable
return array[
  'message_queue',
  'dispatch',
  'pacing',
  'messages',
  'contacts',
  'contact_activity',
  'conversations',
  'provider_events',
  'idempotency_keys',
  'events',
  'event_streams',
  'event_deliveries',
  'outbox',
  'usage_changes'
];
