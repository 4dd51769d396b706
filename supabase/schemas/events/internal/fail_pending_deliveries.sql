-- Ends what an endpoint still waits for, because it is not active any more. A replay sends it again.
-- The caller has locked the endpoint.
create or replace function messaging.fail_pending_deliveries(endpoint_id uuid)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.event_deliveries d
  set status = 'failed', next_attempt_at = null
  where d.endpoint_id = fail_pending_deliveries.endpoint_id and d.next_attempt_at is not null;
  delete from messaging.event_replays r
  where r.endpoint_id = fail_pending_deliveries.endpoint_id;
end;
$$;
