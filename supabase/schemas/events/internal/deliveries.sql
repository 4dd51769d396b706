-- Makes deliveries of these events to an endpoint that the caller has locked. A delivery that exists
-- and is over becomes pending again, from the beginning of the schedule; one that is pending stays, and
-- is due now where nobody calls. Null `due_at`: as old as its event, so that deliveries leave in the
-- events' order.
create or replace function messaging.queue_event_deliveries(
  of_endpoint uuid, sequences bigint[], due_at timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  insert into messaging.event_deliveries as d (
    endpoint_id, sequence, event_id, type, next_attempt_at
  )
  select of_endpoint, e.sequence, e.id, e.type, coalesce(due_at, e.recorded_at)
  from unnest(sequences) as named(sequence)
  -- Each by its key. The callers read in order without a sort: a join would take its order from all
  -- events there are.
  cross join lateral (
    select v.sequence, v.id, v.type, v.recorded_at from messaging.events v
    where v.sequence = named.sequence
    offset 0
  ) as e
  on conflict on constraint event_deliveries_once do update
  set status = 'pending',
    tries = case when d.status = 'pending' then d.tries else 0 end,
    claim_token = case when d.status = 'pending' then d.claim_token end,
    next_attempt_at = case
      when d.status = 'pending' and d.claim_token is not null then d.next_attempt_at
      else clock_timestamp()
    end;
end;
$$;

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

-- How long a delivery waits after its `tries`th failure; NULL after the last one, the eighth. Jitter of
-- a tenth spreads the attempts of many deliveries that failed at once. What a receiver asks for by
-- `Retry-After` counts up to a day, where it is longer.
create or replace function messaging.delivery_pause(tries integer, retry_after_ms bigint)
returns interval language sql volatile set search_path = '' as $$
select greatest(
    (array[
      interval '5 seconds', interval '5 minutes', interval '30 minutes', interval '2 hours',
      interval '5 hours', interval '10 hours', interval '10 hours'
    ])[tries] * (0.9 + 0.2 * random()),
    interval '1 millisecond' * least(coalesce(retry_after_ms, 0), 86400000)
  )
  where tries <= 7;
$$;
