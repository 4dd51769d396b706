-- What was told about the connections of instances holds no longer: their credentials are new, or an
-- operator releases them. The caller holds pacing and refreshes dispatch.
create or replace function messaging.forget_connection(instance_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  perform messaging.resume_unpaced_messages(
    d.instance_id, greatest(d.disconnected_until, d.wrong_phone_until), clock
  )
  from messaging.dispatch d
  where d.instance_id = any (instance_ids)
    and greatest(d.disconnected_until, d.wrong_phone_until) > clock;
  update messaging.dispatch d
  set connection = null, connection_told_at = '-infinity', disconnected_until = '-infinity',
    disconnected_at = null, disconnected_reason = null, connected_at = null, paired_phone = null,
    wrong_phone_until = '-infinity'
  where d.instance_id = any (instance_ids);
end;
$$;
