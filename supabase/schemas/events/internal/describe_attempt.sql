-- An attempt as a delivery keeps it. `result`: status, error, durationMs, answer.
create or replace function messaging.describe_attempt(result jsonb, ended_at timestamptz)
returns jsonb language sql stable set search_path = '' as $$
select jsonb_build_object(
    'at', messaging.iso_in_zone(
      ended_at - interval '1 millisecond' * (result->>'durationMs')::integer, 'UTC'
    ),
    'status', result->'status',
    'error', result->'error',
    'durationMs', result->'durationMs',
    'answer', result->'answer'
  );
$$;
