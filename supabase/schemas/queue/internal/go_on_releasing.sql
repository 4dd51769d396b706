-- Lets those of the next 2,000 messages of an instance's queue leave that it holds for the release's reason, and
-- stores how far that is where more follow. What is held once more meanwhile lies before them: it waits for the same
-- instant, or for an earlier one. The caller holds pacing, and refreshes dispatch.
create or replace function messaging.go_on_releasing(
  release messaging.held_releases, clock timestamptz
) returns void language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  max_messages constant integer := 2000;
  message_ids uuid[];
begin
  with waiting as materialized (
    select q.message_id, q.scheduled_at, q.position
    from (
      (
        select p.message_id, p.scheduled_at, p.position
        from messaging.message_queue p
        where p.instance_id = release.instance_id and p.lane = 'paced'
          and (p.scheduled_at, p.position) > (release.until_at, release.until_position)
        order by p.scheduled_at, p.position
        limit max_messages
      )
      union all
      (
        select u.message_id, u.scheduled_at, u.position
        from messaging.message_queue u
        where u.instance_id = release.instance_id and u.lane = 'unpaced'
          and (u.scheduled_at, u.position) > (release.until_at, release.until_position)
        order by u.scheduled_at, u.position
        limit max_messages
      )
    ) as q
    order by q.scheduled_at, q.position
    limit max_messages
  )
  select array_agg(w.message_id order by w.scheduled_at, w.position),
    (array_agg(w.scheduled_at order by w.scheduled_at desc, w.position desc))[1],
    (array_agg(w.position order by w.scheduled_at desc, w.position desc))[1]
  into message_ids, release.until_at, release.until_position
  from waiting w;
  perform messaging.release_messages(message_ids, release.reason, clock);
  if cardinality(message_ids) = max_messages then
    insert into messaging.held_releases (instance_id, reason, until_at, until_position)
    values (release.instance_id, release.reason, release.until_at, release.until_position)
    on conflict on constraint held_releases_pkey do update
    set until_at = excluded.until_at, until_position = excluded.until_position;
  elsif release.begins_anew then
    update messaging.held_releases r
    set until_at = default, until_position = default, begins_anew = default
    where r.instance_id = release.instance_id and r.reason = release.reason;
  else
    delete from messaging.held_releases r
    where r.instance_id = release.instance_id and r.reason = release.reason;
  end if;
end;
$$;
