-- An instance is connected again: its unpaced messages that the lost connection has postponed to
-- `postponed_to` are due at their own time, and those whose time has passed leave ten seconds apart, so
-- that they are no burst. The caller holds dispatch.
create or replace function messaging.resume_unpaced_messages(
  instance_id uuid, postponed_to timestamptz, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update messaging.message_queue q
  set visible_at = case
    when late.scheduled_at > clock then late.scheduled_at
    else clock + (late.place - 1) * interval '10 seconds'
  end
  from (
    select u.message_id, u.scheduled_at,
      row_number() over (order by u.scheduled_at, u.position) as place
    from messaging.message_queue u
    where u.instance_id = resume_unpaced_messages.instance_id and u.lane = 'unpaced'
      and u.claim_token is null and u.interval_seconds = 0
      and (u.visible_at = postponed_to or u.scheduled_at <= clock and u.visible_at <= clock)
  ) as late
  where q.message_id = any (array[late.message_id]) and q.claim_token is null;
end;
$$;
