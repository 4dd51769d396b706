-- Releases the quota of the days of messages that were taken out of the queue unsent:
-- canceled, expired, moved, or arrived after all. `gone`: their rows as they were, without a claim. The
-- last slot of a day is free again; any other stays unused, so that no other message moves. Costs next to
-- nothing where no instance has protection. The caller holds the pacing rows.
create or replace function messaging.release_day_quota(gone messaging.message_queue[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  freed record;
begin
  for freed in
    select g.instance_id, g.lane, g.is_new, i.time_zone,
      coalesce(g.counted_on, (g.scheduled_at at time zone i.time_zone)::date) as day,
      g.counted_on is not null as is_sent
    from unnest(gone) as g
    join messaging.instances i on i.id = any (array[g.instance_id])
    where i.protection is not null
    order by g.scheduled_at desc
  loop
    if freed.is_sent then
      update messaging.paced_days d
      set sent = greatest(d.sent - 1, 0),
        sent_new = greatest(d.sent_new - coalesce(freed.is_new, false)::integer, 0)
      where d.instance_id = freed.instance_id and d.day = freed.day;
    elsif freed.lane = 'paced' then
      update messaging.paced_days d
      set waiting = greatest(d.waiting - 1, 0),
        waiting_new = greatest(d.waiting_new - coalesce(freed.is_new, false)::integer, 0),
        last_left_at = messaging.last_departure_of_day(
          freed.instance_id, freed.day, freed.time_zone
        ),
        is_over = false
      where d.instance_id = freed.instance_id and d.day = freed.day;
    end if;
  end loop;
end;
$$;
