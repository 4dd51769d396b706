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
