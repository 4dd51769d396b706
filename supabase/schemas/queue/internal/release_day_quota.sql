-- Releases the quota of the days of messages that were taken out of the queue unsent: canceled, expired,
-- moved, or arrived after all, or because they wait for an answer now. `gone`: their rows as they were,
-- without a claim, or counted by it. The last slot of a day is free again; any other stays unused, so that
-- no other message moves. Costs next to nothing where no instance has protection. The caller holds the
-- pacing rows.
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

-- When the last of an instance's messages with a slot on that local day will have left, or the one that
-- left last where it was on that day. NULL where there is none.
create or replace function messaging.last_departure_of_day(
  instance_id uuid, day date, time_zone text
) returns timestamptz language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = last_departure_of_day.instance_id and q.lane = 'paced'
        and q.scheduled_at >= day::timestamp at time zone time_zone
        and q.scheduled_at < (day + 1)::timestamp at time zone time_zone
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (
      select d.paced_from from messaging.dispatch d
      where d.instance_id = last_departure_of_day.instance_id and isfinite(d.paced_from)
        and (d.paced_from at time zone time_zone)::date = day
    )
  );
end;
$$;
