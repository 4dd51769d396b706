-- A claimed message goes on under the same claim: its content, ladder, attempts and error are what `message` says: its
-- row, which the caller holds, as the caller has changed it. Where another call is made, the claim lasts
-- `lease_seconds` from now; NULL leaves it as it is. The caller holds the queue row. Locks dispatch.
create or replace function messaging.go_on_under_claim(
  message messaging.messages, lease_seconds double precision
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  ends_at constant timestamptz := clock_timestamp() + make_interval(secs => lease_seconds);
begin
  update messaging.messages m
  set content = message.content, ladder = message.ladder, attempts = message.attempts,
    last_error = message.last_error
  where m.id = message.id;
  if ends_at is null then
    return;
  end if;
  update messaging.message_queue q
  set lease_until = ends_at, visible_at = case when q.lane = 'unpaced' then ends_at end
  where q.message_id = message.id;
  update messaging.dispatch d set lease_until = ends_at
  where d.instance_id = message.instance_id and d.in_flight = message.id;
end;
$$;
