-- What a record tells of the last change that a call asked for: {kind, status, message, requestedAt, error}.
-- One under way whose lease is over is `unknown`: its worker ended before it recorded what came of it.
create or replace function messaging.shown_change(change jsonb, time_zone text, clock timestamptz)
returns jsonb language sql stable
return (change - array['token', 'leaseUntil', 'awaited']) || jsonb_build_object(
  'requestedAt', messaging.iso_in_zone((change ->> 'requestedAt')::timestamptz, time_zone)
) || case
  when change ->> 'status' = 'under_way'
  and (change ->> 'leaseUntil')::timestamptz <= clock then jsonb_build_object(
    'status', 'unknown',
    'error', jsonb_build_object(
      'code', 'worker_lost',
      'message', 'The process that was asking the provider ended before it recorded the outcome.'
    )
  )
  else '{}'
end;
