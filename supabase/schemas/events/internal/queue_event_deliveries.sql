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
